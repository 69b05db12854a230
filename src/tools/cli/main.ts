// The command line as a process: from the bundle of these sources where there is one (base/util/bundle.ts), else from
// the sources themselves, which is run.ts.

import { codeOf } from '../../base/util/bundle.ts'

await import(codeOf('tools/cli/run', new URL('./run.ts', import.meta.url)))
