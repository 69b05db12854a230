// The command line's part: tokens for programs.

import { addToken } from '../../tools/cli/token.ts'
import type { ToolsFeature } from '../../tools/feature.ts'

export const tools: ToolsFeature = { commands: addToken }
