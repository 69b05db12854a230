// The server as a process: from the bundle of these sources where there is one (base/util/bundle.ts), else from the
// sources themselves, which is tools/server.ts.

import { codeOf } from './base/util/bundle.ts'

await import(codeOf('tools/server', new URL('./tools/server.ts', import.meta.url)))
