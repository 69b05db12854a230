// What the pages for signing in and joining say, apart from the words that every page needs.

import type { Reason } from '../../../sign-in/assets/reasons.ts'
import { inLanguage, phrasesOf, t } from '../page/words.ts'

const table = {
  welcome: [
    'Read and write with your own account',
    'Mit deinem eigenen Konto lesen und schreiben',
    '自分のアカウントで読み書き',
  ],
  welcomeText: [
    'Enter your handle. Your own server then asks whether {host} may read and write for you; your password stays there.',
    'Gib deinen Namen ein. Dein eigener Server fragt dann, ob {host} für dich lesen und schreiben darf; dein Passwort bleibt dort.',
    'ハンドルを入力してください。{host} に読み書きを許可するかどうかを、あなたのサーバーが確認します。パスワードはそちらにとどまります。',
  ],
  handleOrDid: ['Handle or DID', 'Handle oder DID', 'ハンドルまたは DID'],
  readingLink: [
    'I have a reading link from the operator',
    'Ich habe einen Leselink',
    '管理者からの閲覧リンクがあります',
  ],
  forInvited: [
    'You need an invite code to become a member here.',
    'Um hier Mitglied zu werden, brauchst du einen Einladungscode.',
    'ここのメンバーになるには招待コードが必要です。',
  ],
  forListed: [
    'Only accounts that the operator has named can read here.',
    'Hier lesen nur Konten, die der Betreiber eingetragen hat.',
    '管理者が登録したアカウントだけが利用できます。',
  ],
  forOpen: [
    'Everybody may become a member here.',
    'Hier kann jeder Mitglied werden.',
    'だれでもメンバーになれます。',
  ],
  inviteCode: ['Invite code', 'Einladungscode', '招待コード'],
  generic: [
    'Your server does not know narrow permissions. It would have to give this site wide ones: everything but direct messages and account settings.',
    'Dein Server kennt keine engen Berechtigungen. Er müsste weite geben: alles außer Direktnachrichten und Kontoeinstellungen.',
    'お使いのサーバーは細かい権限に対応していません。ダイレクトメッセージとアカウント設定を除くすべての権限が必要になります。',
  ],
  genericButton: [
    'Sign in with wide permissions',
    'Mit weiten Berechtigungen anmelden',
    '広い権限でログイン',
  ],
} as const satisfies Record<string, readonly [string, string, string]>

/** Why signing in failed; 'pds-away' and 'failed' are said elsewhere, too. */
const reasons = {
  'no-such-account': [
    'There is no account of this name. Check the spelling.',
    'Ein Konto dieses Namens gibt es nicht. Prüfe die Schreibweise.',
    'この名前のアカウントはありません。つづりを確認してください。',
  ],
  'not-a-name': [
    'This is neither a handle such as alice.example.org nor a DID.',
    'Das ist weder ein Handle wie alice.example.org noch eine DID.',
    'alice.example.org のようなハンドルでも DID でもありません。',
  ],
  refused: [
    'You did not give permission, so nothing was changed. Sign in again to try once more.',
    'Du hast es nicht erlaubt, also wurde nichts geändert. Melde dich noch einmal an, um es neu zu versuchen.',
    '許可されなかったため、何も変更していません。もう一度ログインしてください。',
  ],
  expired: [
    'Your session has expired. Sign in again; drafts are kept.',
    'Deine Sitzung ist abgelaufen. Melde dich wieder an; Entwürfe bleiben erhalten.',
    'セッションの期限が切れました。もう一度ログインしてください。下書きは残っています。',
  ],
  revoked: [
    'Your server has ended this session. Sign in again; drafts are kept.',
    'Dein Server hat diese Sitzung beendet. Melde dich wieder an; Entwürfe bleiben erhalten.',
    'サーバーがセッションを終了しました。もう一度ログインしてください。下書きは残っています。',
  ],
  'too-narrow': [
    'Your server did not give the permissions that this needs.',
    'Dein Server hat die nötigen Berechtigungen nicht gegeben.',
    '必要な権限が得られませんでした。',
  ],
  'not-secure': [
    'Signing in needs https. Ask the operator for the https address of this server.',
    'Zum Anmelden braucht es https. Frage den Betreiber nach der https-Adresse.',
    'ログインには https が必要です。管理者に https のアドレスを確認してください。',
  ],
  clock: [
    'The clock of this device is wrong, so your server refuses. Set it and sign in again.',
    'Die Uhr dieses Geräts geht falsch, deshalb lehnt dein Server ab. Stelle sie und melde dich noch einmal an.',
    'この端末の時計がずれているため、サーバーに拒否されました。時刻を直して、もう一度ログインしてください。',
  ],
} as const satisfies Partial<Record<Reason, readonly [string, string, string]>>

export const phrase = phrasesOf(table)

/** @param reason - as in an address, so it may be anything */
export function reasonWords(reason: string): string {
  if (reason === 'pds-away') return t('why-pds-away')
  return Object.hasOwn(reasons, reason)
    ? inLanguage(reasons[reason as keyof typeof reasons])
    : t('why-failed')
}
