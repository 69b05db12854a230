// What a push says, by its reason: English, German, Japanese, as the page's own words. The worker is no module and can
// import none of them, so it is served with this table. `{name}` is an account, if the push names one.

export const pushWords: Readonly<Record<string, readonly [string, string, string]>> = {
  somebody: ['Somebody', 'Jemand', 'だれか'],
  andOthers: ['{name} and {count} more', '{name} und {count} weitere', '{name} と他 {count} 人'],
  like: ['{name} liked your post', '{name} gefällt dein Beitrag', '{name} があなたの投稿にいいね'],
  repost: [
    '{name} reposted your post',
    '{name} hat deinen Beitrag repostet',
    '{name} があなたの投稿をリポスト',
  ],
  follow: ['{name} follows you', '{name} folgt dir', '{name} にフォローされました'],
  mention: ['{name} mentioned you', '{name} hat dich erwähnt', '{name} があなたに言及'],
  reply: ['{name} replied to you', '{name} hat dir geantwortet', '{name} が返信'],
  quote: ['{name} quoted you', '{name} hat dich zitiert', '{name} があなたを引用'],
  'like-via-repost': [
    '{name} liked your repost',
    '{name} gefällt dein Repost',
    '{name} があなたのリポストにいいね',
  ],
  'repost-via-repost': [
    '{name} reposted your repost',
    '{name} hat deinen Repost repostet',
    '{name} があなたのリポストをリポスト',
  ],
  'subscribed-post': ['New from {name}', 'Neu von {name}', '{name} の新しい投稿'],
  'starterpack-joined': [
    '{name} signed up with your starter pack',
    '{name} kam über dein Starterpaket',
    '{name} があなたのスターターパックから参加',
  ],
  verified: ['{name} verified you', '{name} hat dich verifiziert', '{name} があなたを認証'],
  unverified: [
    '{name} no longer verifies you',
    '{name} verifiziert dich nicht mehr',
    '{name} が認証を取り消し',
  ],
  more: [
    'New notifications: {count} more',
    'Neue Mitteilungen: {count} weitere',
    '新しい通知：他 {count} 件',
  ],
  'after-quiet-hours': [
    'New notifications in quiet hours: {count}',
    'Neue Mitteilungen in der Ruhezeit: {count}',
    '通知しない時間の新しい通知：{count} 件',
  ],
}
