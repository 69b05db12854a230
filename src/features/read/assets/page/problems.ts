// What went wrong, in sentences that say what to do.

import { CallError } from './api.ts'
import { inLanguage, t } from './words.ts'

const table = {
  notAMember: [
    'Your account is not a member here yet.',
    'Dein Konto ist hier noch kein Mitglied.',
    'このアカウントはまだメンバーではありません。',
  ],
  membersFull: [
    'There is no free seat. Ask the operator to make room; your account stays signed in.',
    'Es ist kein Platz frei. Bitte den Betreiber um Platz; du bleibst angemeldet.',
    '空きがありません。管理者に依頼してください。ログインは保たれます。',
  ],
  banned: [
    'The operator does not let this account read here.',
    'Der Betreiber lässt dieses Konto hier nicht lesen.',
    '管理者によりこのアカウントは利用できません。',
  ],
  badCode: [
    'This code is unknown, used up or expired. Ask whoever gave it to you for another.',
    'Dieser Code ist unbekannt, verbraucht oder abgelaufen. Bitte um einen neuen.',
    'このコードは無効か、使用済みか、期限切れです。新しいコードを依頼してください。',
  ],
  notFound: [
    'Nothing is known here of this address: it was deleted or renamed, or never was.',
    'Unter dieser Adresse ist hier nichts bekannt: gelöscht, umbenannt oder nie gewesen.',
    'このアドレスには何も見つかりません。削除されたか、名前が変わったか、存在しません。',
  ],
  suspended: [
    'This account is suspended.',
    'Dieses Konto ist gesperrt.',
    'このアカウントは停止されています。',
  ],
  deactivated: [
    'The owner has deactivated this account.',
    'Dieses Konto wurde von seinem Besitzer deaktiviert.',
    'このアカウントは本人が無効にしています。',
  ],
  youBlock: [
    'You block this account: its posts are not shown.',
    'Du blockierst dieses Konto: Seine Beiträge siehst du nicht.',
    'ブロック中のため、投稿は表示されません。',
  ],
  blocksYou: [
    'This account blocks you.',
    'Dieses Konto blockiert dich.',
    'このアカウントにブロックされています。',
  ],
  serverAway: [
    'The server does not answer as it should. Try again in a few minutes; nothing is lost.',
    'Der Server antwortet nicht, wie er sollte. Versuche es in einigen Minuten wieder; nichts ist verloren.',
    'サーバーが正しく応答しません。数分後にもう一度お試しください。何も失われていません。',
  ],
  failedWith: [
    'That did not work: {reason}',
    'Das hat nicht geklappt: {reason}',
    'うまくいきませんでした：{reason}',
  ],
  unreachable: [
    'No connection to your server. Try again; nothing is lost.',
    'Keine Verbindung zu deinem Server. Versuche es noch einmal; nichts ist verloren.',
    'サーバーに接続できません。もう一度お試しください。何も失われていません。',
  ],
} as const satisfies Record<string, readonly [string, string, string]>

/** By the name that an answer gives its error. */
const SENTENCES: Record<string, keyof typeof table> = {
  AccountBanned: 'banned',
  AccountDeactivated: 'deactivated',
  AccountTakedown: 'suspended',
  BlockedActor: 'youBlock',
  BlockedByActor: 'blocksYou',
  InvalidInvite: 'badCode',
  MembersFull: 'membersFull',
  NotAMember: 'notAMember',
  NotFound: 'notFound',
  UnknownList: 'notFound',
  Unreachable: 'unreachable',
}

export function problemWords(error: unknown): string {
  const reason = (error as Error).message
  if (!(error instanceof CallError)) return reason || t('why-failed')
  const key = SENTENCES[error.error] ?? byStatus(error)
  return inLanguage(table[key], { reason })
}

function byStatus({ status, message }: CallError): keyof typeof table {
  if (status === 429 || status >= 500) return 'serverAway'
  return /not found/i.test(message) ? 'notFound' : 'failedWith'
}
