// How wide text gets in the page's font, and how much of it fits.

import { cutTo } from './dom.ts'

export type Fitted = { text: string; width: number }

/** @param size - of the font, with its weight if it has one: `600 13px` */
export function createFitting(size: string): (text: string, most: number) => Fitted {
  const pen = document.createElement('canvas').getContext('2d')!
  pen.font = `${size} ${getComputedStyle(document.body).fontFamily}`
  const fitted = (text: string) => ({ text, width: Math.ceil(pen.measureText(text).width) })
  return (text, most) => {
    let item = fitted(text)
    for (let length = text.length; item.width > most && length > 0; length--)
      item = fitted(`${cutTo(text, length - 1)}…`)
    return item
  }
}
