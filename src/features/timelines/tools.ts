// The command line's part: tokens for programs.

import type { ToolsFeature } from '../../tools/feature.ts'
import { addToken } from './commands/token.ts'

export const tools: ToolsFeature = { commands: addToken }
