// The seed of a random test: a new one each run, printed, so that a failure can be replayed with
// TEST_SEED=<number>.

export function testSeed(name: string): number {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  console.info(`${name}: TEST_SEED=${seed}`)
  return seed
}
