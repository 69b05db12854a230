// V8's flags that have to hold for all threads, set before any other module has run: main.ts imports this one
// first. docs/notes/2026-11-26-full-collections-make-the-p99.md has what each is worth.

import { setFlagsFromString } from 'node:v8'

// By default V8 begins to allocate objects of a kind in the old generation once nearly all of that kind survived, as
// requests that wait in a stall do. From then on every request leaves some there.
setFlagsFromString('--no-allocation-site-pretenuring')

// By default V8 begins a full collection once the space left in the old generation is as small as the young one, and
// counts answers that are being sent as part of the heap: under load 5 to 7 MB, of the 8 MB by which a small heap may
// grow. These flags are shares of all space, in percent: from the first on V8 marks in slices, from the second on at
// once. The limit itself stays, so memory is bounded as before. With higher shares, a burst of answers reaches the
// limit before marking has begun, and then the whole collection is one pause.
setFlagsFromString('--incremental-marking-soft-trigger=60')
setFlagsFromString('--incremental-marking-hard-trigger=80')

// On the command line this flag (16 MB) is for the main thread, which serves. For the threads that it starts, it
// would outweigh their own `resourceLimits`.
setFlagsFromString('--max-semi-space-size=0')
