import { HAS_POSTGATE } from '../../../data/store/posts/post-flags.ts'
import type { CollectionRules } from './collection-rules.ts'
import { gateRules } from './gate.ts'

export const postgate: CollectionRules = gateRules({ table: 'postgates', flag: HAS_POSTGATE })
