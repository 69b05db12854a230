// V8's flags that have to hold for all threads, set before any other module has run: main.ts imports this one
// first. docs/notes/2026-11-26-full-collections-make-the-p99.md has what each is worth.

import { setFlagsFromString } from 'node:v8'

// By default V8 allocates objects in the old generation where nearly all of their kind survived, as requests
// that wait in a stall do. From then on every request leaves some there.
setFlagsFromString('--no-allocation-site-pretenuring')

// By default V8 begins a full collection once the old generation has no more room left than the young one is
// large, and answers on their way count as if they filled it: 5 to 7 MB are always on their way under load, of
// 8 that it lets a small heap grow. These are shares of all that room, in percent: from the first on in slices,
// from the second on at once. The limit stays where it is, so memory is bounded as before. Later than this, a
// burst of answers meets the limit before marking has begun, and then the whole collection is one pause.
setFlagsFromString('--incremental-marking-soft-trigger=60')
setFlagsFromString('--incremental-marking-hard-trigger=80')

// On the command line this flag (16 MB) is for the main thread, which serves. For the threads that it starts, it
// would outweigh their own `resourceLimits`.
setFlagsFromString('--max-semi-space-size=0')
