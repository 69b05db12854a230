// V8's flags that have to hold for all threads, set before any other module has run: main.ts imports this one
// first. By default V8 allocates objects in the old generation where nearly all of their kind survived, as
// requests that wait in a stall do. From then on every request leaves some there (docs/PERFORMANCE.md).

import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--no-allocation-site-pretenuring')
