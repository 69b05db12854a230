// What people do in each fixture's world: only acts that the worlds of all versions know. It imports nothing, since
// make.ts copies it into the trees of earlier versions.

type Id = { uri: string; cid: string }

type SomeWorld = {
  account(name: string): string
  profile(did: string, record: Record<string, string>): Id
  follow(did: string, subject: string): Id
  block(did: string, subject: string): Id
  post(did: string, input: object): Id
  like(did: string, subject: Id): Id
  repost(did: string, subject: Id): Id
  list(did: string, name: string, purpose?: string): Id
  listItem(did: string, list: Id, subject: string): Id
  listBlock(did: string, list: Id): Id
  threadgate(post: Id, allow?: never[]): Id
}

export const MEMBERS = ['alice', 'bob']

/** @param mute - as this version's world does it */
export function liveInWorld(world: SomeWorld, mute: (did: string, subject: string) => void): void {
  const [alice, bob, carol, dan] = ['alice', 'bob', 'carol', 'dan'].map((name) =>
    world.account(name),
  ) as [string, string, string, string]
  world.profile(alice, { displayName: 'Alice' })
  world.profile(carol, { displayName: 'Carol', description: 'writes' })
  for (const value of [bob, carol, dan]) world.follow(alice, value)
  world.follow(bob, alice)
  world.follow(carol, alice)
  const first = world.post(carol, { text: 'the first post' })
  const reply = world.post(alice, { text: 'a reply', reply: { parent: first, root: first } })
  world.post(bob, { text: 'another', reply: { parent: reply, root: first } })
  const gated = world.post(bob, { text: 'nobody may reply' })
  world.threadgate(gated, [])
  world.post(alice, { text: 'a quote', quote: first })
  for (let i = 0; i < 20; i++) world.post(carol, { text: `post ${i}` })
  for (const value of [alice, bob, dan]) world.like(value, first)
  world.repost(bob, first)
  world.repost(dan, reply)
  world.block(alice, dan)
  const list = world.list(bob, 'people to avoid')
  world.listItem(bob, list, dan)
  world.listBlock(alice, list)
  mute(alice, bob)
  mute(bob, carol)
}
