// Post texts for the simulated network: short, varied, with some emoji and other scripts, so that bytes,
// characters and graphemes differ as in production.

import type { Random } from '../random.ts'

const words =
  'the river light over morning coffee and a slow train through green hills where nobody reads ' +
  'but everyone writes about weather bread cats deadlines music football elections new keyboards ' +
  'quiet gardens open protocols broken builds long walks short books good soup bad puns'
const vocabulary = words.split(' ')
const flourishes = [
  '✨',
  '🌊',
  '😂',
  '🇧🇷',
  '👩‍🚀',
  'こんにちは',
  'olá',
  'přátelé',
  'Grüße',
  '…',
  '!',
  '?',
]

export function postText(random: Random): string {
  const length = 3 + random.below(25)
  const chosen = Array.from({ length }, () => random.pick(vocabulary))
  if (random.chance(0.3)) chosen.push(random.pick(flourishes))
  const text = chosen.join(' ')
  return text[0]!.toUpperCase() + text.slice(1)
}
