// The command line's part: the record by which For You is offered to users of other servers.

import type { ToolsFeature } from '../../tools/feature.ts'
import { addForYou } from './publish/command.ts'

export const tools: ToolsFeature = { commands: addForYou }
