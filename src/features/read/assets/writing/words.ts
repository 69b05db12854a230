// What the dialog for writing says, apart from the words that every page needs.

import { phrasesOf } from '../page/words.ts'

const table = {
  addPictures: ['Add pictures', 'Bilder hinzufügen', '画像を追加'],
  altText: [
    'Describe picture {number} for people who cannot see it',
    'Beschreibe Bild {number} für alle, die es nicht sehen',
    '画像 {number} の説明（見えない人のために）',
  ],
  badPicture: [
    'This file cannot be read as a picture, or not be made small enough.',
    'Diese Datei lässt sich nicht als Bild lesen oder nicht klein genug machen.',
    'このファイルは画像として読めないか、十分に小さくできません。',
  ],
  mostPictures: [
    'A post has at most {count} pictures.',
    'Ein Beitrag hat höchstens {count} Bilder.',
    '画像は {count} 枚までです。',
  ],
  charactersLeft: ['{count} characters left', 'Noch {count} Zeichen', '残り {count} 文字'],
  draftSaved: ['Saved as a draft.', 'Als Entwurf gesichert.', '下書きに保存しました。'],
  picturesElsewhere: [
    'The pictures are in the browser where the draft was written.',
    'Die Bilder liegen in dem Browser, in dem der Entwurf geschrieben wurde.',
    '画像は下書きを書いたブラウザーにあります。',
  ],
  posted: ['Posted.', 'Veröffentlicht.', '投稿しました。'],
  saveDraft: ['Save as draft', 'Als Entwurf sichern', '下書きに保存'],
  whatsUp: ['What do you want to say?', 'Was möchtest du sagen?', '何を投稿しますか？'],
} as const satisfies Record<string, readonly [string, string, string]>

export const phrase = phrasesOf(table)
