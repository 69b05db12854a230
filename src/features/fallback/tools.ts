// The doctor's check of the public AppView.

import type { ToolsFeature } from '../../tools/feature.ts'

export const tools: ToolsFeature = {
  checks: [
    {
      area: 'fallback',
      // Imported late: other commands don't need it.
      run: async (doctor) => (await import('./doctor.ts')).checkAppview(doctor),
    },
  ],
}
