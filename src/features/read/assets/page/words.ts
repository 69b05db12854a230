// What the client says, in one table: English, German, Japanese. A language that is not here reads English.
// `{name}` is filled in; plural forms are avoided.

import { language, languages } from '../../../sign-in/assets/language.ts'
import { numeral } from './locale.ts'

const table = {
  following: ['Following', 'Folge ich', 'フォロー中'],
  forYou: ['For You', 'Für dich', 'おすすめ'],
  notifications: ['Notifications', 'Mitteilungen', '通知'],
  search: ['Search', 'Suche', '検索'],
  bookmarks: ['Bookmarks', 'Lesezeichen', 'ブックマーク'],
  lists: ['Lists', 'Listen', 'リスト'],
  drafts: ['Drafts', 'Entwürfe', '下書き'],
  settings: ['Settings', 'Einstellungen', '設定'],
  profile: ['Profile', 'Profil', 'プロフィール'],
  myProfile: ['My profile', 'Mein Profil', '自分のプロフィール'],
  thread: ['Post', 'Beitrag', '投稿'],
  write: ['Write', 'Schreiben', '投稿する'],
  more: ['More', 'Mehr', 'メニュー'],
  skip: ['Skip to the content', 'Zum Inhalt', '本文へ'],
  loading: ['Loading …', 'Lädt …', '読み込み中…'],
  nothingYet: ['Nothing here yet.', 'Hier ist noch nichts.', 'まだ何もありません。'],
  end: ['You have read everything there is.', 'Das ist alles.', 'これで最後です。'],
  again: ['Try again', 'Noch einmal versuchen', 'もう一度試す'],
  close: ['Close', 'Schließen', '閉じる'],
  undo: ['Undo', 'Rückgängig', '元に戻す'],
  undone: ['Undone.', 'Rückgängig gemacht.', '元に戻しました。'],
  signIn: ['Sign in', 'Anmelden', 'ログイン'],
  join: ['Join', 'Beitreten', '参加する'],
  filling: [
    'Your timeline is being filled: {done} of {all} accounts that you follow are here.',
    'Deine Timeline wird gefüllt: {done} von {all} Konten, denen du folgst, sind da.',
    'タイムラインを準備しています：フォロー中の {all} 件のうち {done} 件が届きました。',
  ],
  filled: [
    'Your timeline is filled.',
    'Deine Timeline ist gefüllt.',
    'タイムラインの準備ができました。',
  ],
  lossy: [
    'You follow {follows} accounts; you see about {percent} % of what they post.',
    'Du folgst {follows} Konten und siehst etwa {percent} % ihrer Beiträge.',
    '{follows} 件をフォロー中です。投稿の約 {percent} % が表示されます。',
  ],
  lossyWhy: ['Why', 'Warum', '理由'],
  lossyReason: [
    'Nobody can read everything from so many accounts. Beyond {limit}, this server draws for each post whether it enters your timeline; the same post is drawn alike on every device. Profiles and lists show everything.',
    'Von so vielen Konten kann niemand alles lesen. Ab {limit} lost dieser Server für jeden Beitrag aus, ob er in deine Timeline kommt; auf jedem Gerät gleich. Profile und Listen zeigen alles.',
    'これほど多くのアカウントの投稿をすべて読むことはできません。{limit} 件を超えると、投稿ごとに表示するかどうかを抽選します（どの端末でも同じ結果です）。プロフィールとリストにはすべて表示されます。',
  ],
  gap: [
    'Posts of {from} to {to} are being fetched.',
    'Beiträge von {from} bis {to} werden geholt.',
    '{from} から {to} の投稿を取得しています。',
  ],
  gapClosed: [
    'Posts of {from} to {to} have arrived.',
    'Beiträge von {from} bis {to} sind da.',
    '{from} から {to} の投稿が届きました。',
  ],
  newAbove: ['{count} new above', '{count} neue darüber', '上に新着 {count} 件'],
  toTop: ['To the newest', 'Zum Neuesten', '最新へ'],
  replyTo: ['Reply to {name}', 'Antwort an {name}', '{name} への返信'],
  repostedBy: ['Reposted by {name}', 'Repostet von {name}', '{name} がリポスト'],
  reply: ['Reply', 'Antworten', '返信'],
  repost: ['Repost', 'Reposten', 'リポスト'],
  quote: ['Quote', 'Zitieren', '引用'],
  like: ['Like', 'Gefällt mir', 'いいね'],
  bookmark: ['Bookmark', 'Lesezeichen', 'ブックマーク'],
  delete: ['Delete', 'Löschen', '削除'],
  options: ['More options', 'Weitere Optionen', 'その他'],
  follow: ['Follow', 'Folgen', 'フォロー'],
  unfollow: ['Unfollow', 'Entfolgen', 'フォロー解除'],
  mute: ['Mute', 'Stummschalten', 'ミュート'],
  unmute: ['Unmute', 'Stummschaltung aufheben', 'ミュート解除'],
  block: ['Block', 'Blockieren', 'ブロック'],
  unblock: ['Unblock', 'Blockierung aufheben', 'ブロック解除'],
  liked: ['Liked.', 'Gefällt dir.', 'いいねしました。'],
  reposted: ['Reposted.', 'Repostet.', 'リポストしました。'],
  followed: ['You follow {name} now.', 'Du folgst jetzt {name}.', '{name} をフォローしました。'],
  muted: ['{name} is muted.', '{name} ist stummgeschaltet.', '{name} をミュートしました。'],
  blocked: ['{name} is blocked.', '{name} ist blockiert.', '{name} をブロックしました。'],
  deleted: ['Deleted.', 'Gelöscht.', '削除しました。'],
  bookmarked: ['Bookmarked.', 'Lesezeichen gesetzt.', 'ブックマークしました。'],
  post: ['Post', 'Veröffentlichen', '投稿'],
  save: ['Save', 'Sichern', '保存'],
  saved: ['Saved.', 'Gesichert.', '保存しました。'],
  remove: ['Remove', 'Entfernen', '取り除く'],
  followedBy: ['Followed by {names}', 'Gefolgt von {names}', '{names} がフォロー中'],
  others: ['{count} others', '{count} weiteren', '他 {count} 人'],
  knownLikers: ['Liked by {names}', 'Gefällt {names}', '{names} がいいね'],
  noKnown: [
    'Nobody you follow follows this account.',
    'Niemand, dem du folgst, folgt diesem Konto.',
    'フォロー中の人はだれもフォローしていません。',
  ],
  showAll: ['Show all', 'Alle zeigen', 'すべて表示'],
  figures: [
    '{posts} posts · {followers} followers · follows {follows}',
    '{posts} Beiträge · {followers} Follower · folgt {follows}',
    '投稿 {posts}・フォロワー {followers}・フォロー {follows}',
  ],
  followsYou: ['Follows you', 'Folgt dir', 'フォローされています'],
  gone: [
    'This post is not available.',
    'Dieser Beitrag ist nicht verfügbar.',
    'この投稿は表示できません。',
  ],
  blockedPost: [
    'This post is blocked.',
    'Dieser Beitrag ist blockiert.',
    'この投稿はブロックされています。',
  ],
  hiddenFor: ['Hidden: {reason}', 'Verborgen: {reason}', '非表示：{reason}'],
  show: ['Show', 'Zeigen', '表示する'],
  hide: ['Hide', 'Verbergen', '隠す'],
  mutedWord: ['a muted word', 'ein stummgeschaltetes Wort', 'ミュートした言葉'],
  mutedAccount: ['a muted account', 'ein stummgeschaltetes Konto', 'ミュートしたアカウント'],
  blockedAccount: ['a blocked account', 'ein blockiertes Konto', 'ブロックしたアカウント'],
  label: ['labelled “{label}”', 'als „{label}“ gekennzeichnet', '「{label}」のラベル'],
  'label-!hide': ['Hidden by moderators', 'Von Moderatoren verborgen', 'モデレーターにより非表示'],
  'label-!warn': ['Warning by moderators', 'Warnung von Moderatoren', 'モデレーターによる警告'],
  'label-porn': ['Adult content', 'Nicht jugendfrei', '成人向け'],
  'label-sexual': ['Sexually suggestive', 'Sexuelle Anspielungen', '性的な示唆'],
  'label-nudity': ['Nudity', 'Nacktheit', 'ヌード'],
  'label-graphic-media': ['Graphic media', 'Verstörende Bilder', '刺激の強い画像'],
  noAlt: ['Picture without a description', 'Bild ohne Beschreibung', '説明のない画像'],
  video: ['Video', 'Video', '動画'],
  videoStats: [
    'Views: {sessions}. Watched for {minutes} min in all; on average viewers stop after {stop} s.',
    'Aufrufe: {sessions}. Zusammen {minutes} min angesehen; im Mittel hören Zuschauer nach {stop} s auf.',
    '{sessions} 回再生、合計 {minutes} 分。平均して {stop} 秒で離脱します。',
  ],
  liker: ['{name} liked your post', '{name} gefällt dein Beitrag', '{name} があなたの投稿にいいね'],
  reposter: [
    '{name} reposted your post',
    '{name} hat deinen Beitrag repostet',
    '{name} があなたの投稿をリポスト',
  ],
  follower: ['{name} follows you', '{name} folgt dir', '{name} にフォローされました'],
  followers: ['{name} follow you', '{name} folgen dir', '{name} にフォローされました'],
  mentioner: ['{name} mentioned you', '{name} hat dich erwähnt', '{name} があなたに言及'],
  replier: ['{name} replied to you', '{name} hat dir geantwortet', '{name} が返信'],
  quoter: ['{name} quoted you', '{name} hat dich zitiert', '{name} があなたを引用'],
  viaLiker: [
    '{name} liked your repost',
    '{name} gefällt dein Repost',
    '{name} があなたのリポストにいいね',
  ],
  reposters: [
    '{name} reposted your post',
    '{name} haben deinen Beitrag repostet',
    '{name} があなたの投稿をリポスト',
  ],
  viaReposter: [
    '{name} reposted your repost',
    '{name} hat deinen Repost repostet',
    '{name} があなたのリポストをリポスト',
  ],
  viaReposters: [
    '{name} reposted your repost',
    '{name} haben deinen Repost repostet',
    '{name} があなたのリポストをリポスト',
  ],
  poster: ['New from {name}', 'Neu von {name}', '{name} の新しい投稿'],
  joiner: [
    '{name} signed up with your starter pack',
    '{name} kam über dein Starterpaket',
    '{name} があなたのスターターパックから参加',
  ],
  verifier: ['{name} verified you', '{name} hat dich verifiziert', '{name} があなたを認証'],
  unverifier: [
    '{name} no longer verifies you',
    '{name} verifiziert dich nicht mehr',
    '{name} が認証を取り消し',
  ],
  andOthers: ['{name} and {count} more', '{name} und {count} weitere', '{name} と他 {count} 人'],
  otherReason: ['{name}: {reason}', '{name}: {reason}', '{name}：{reason}'],
  unread: ['{count} unread', '{count} ungelesen', '未読 {count} 件'],
  people: ['People', 'Personen', 'ユーザー'],
  posts: ['Posts', 'Beiträge', '投稿'],
  bell: [
    'Notifications of posts by {name}',
    'Mitteilungen über Beiträge von {name}',
    '{name} の投稿の通知',
  ],
  bellOff: ['Do not notify me of posts', 'Keine Mitteilung über Beiträge', '投稿を通知しない'],
  bellPosts: ['Notify me of posts', 'Beiträge mitteilen', '投稿を通知'],
  bellReplies: ['… and of replies', '… und Antworten', '投稿と返信を通知'],
  push: ['Notify this device', 'Dieses Gerät benachrichtigen', 'この端末に通知'],
  pushOn: [
    'This device is notified.',
    'Dieses Gerät wird benachrichtigt.',
    'この端末に通知します。',
  ],
  pushOff: [
    'This device is not notified any more.',
    'Dieses Gerät wird nicht mehr benachrichtigt.',
    'この端末への通知をやめました。',
  ],
  pushNone: [
    'This server sends no notifications to browsers.',
    'Dieser Server schickt keine Mitteilungen an Browser.',
    'このサーバーは通知を送りません。',
  ],
  pushDenied: [
    'This browser does not allow notifications from here. Change that in its settings.',
    'Dieser Browser erlaubt keine Mitteilungen von hier. Ändere das in seinen Einstellungen.',
    'ブラウザーの設定で通知が許可されていません。',
  ],
  offline: ['You are offline.', 'Du bist offline.', 'オフラインです。'],
  asOf: [
    'This is the page as of {time}.',
    'Das ist die Seite von {time}.',
    'これは {time} 時点のページです。',
  ],
  'why-pds-away': [
    'Your server does not answer. Try again in a few minutes; nothing is lost.',
    'Dein Server antwortet nicht. Versuche es in einigen Minuten wieder; nichts ist verloren.',
    'サーバーが応答しません。数分後にもう一度お試しください。何も失われていません。',
  ],
  'why-failed': [
    'Signing in did not work. Try again; if it keeps failing, ask the operator.',
    'Die Anmeldung hat nicht geklappt. Versuche es noch einmal oder frage den Betreiber.',
    'ログインできませんでした。もう一度試すか、管理者に問い合わせてください。',
  ],
} as const satisfies Record<string, readonly [string, string, string]>

export type Key = keyof typeof table
type Values = Record<string, string | number>

/** @returns a function that fills in one text of a table */
export const phrasesOf =
  <Name extends string>(texts: Readonly<Record<Name, readonly string[]>>) =>
  (name: Name, values?: Values): string =>
    inLanguage(texts[name], values)

export const t = phrasesOf(table)

/** @param texts - in the table's order of languages */
export function inLanguage(texts: readonly string[], values: Values = {}): string {
  const text = texts[languages.indexOf(language())]!
  return text.replace(/\{(\w{1,30})\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? numeral(value) : value
  })
}

export const isKey = (text: string): text is Key => Object.hasOwn(table, text)
