// The command line's part: the engine, and a node's way to it and back.

import { addEngine } from '../../tools/cli/engine.ts'
import { addMoveEngine } from '../../tools/cli/move-engine.ts'
import type { ToolsFeature } from '../../tools/feature.ts'

export const tools: ToolsFeature = {
  commands(program, context) {
    addEngine(program, context)
    addMoveEngine(program, context)
  },
  checks: [
    {
      area: 'engine',
      run: async (doctor) => (await import('../../tools/doctor/engine.ts')).checkEngine(doctor),
    },
  ],
}
