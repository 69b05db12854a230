// Makes a Jetstream double ready to pour: events whose frames are made and compressed beforehand, so
// that the double is never what the reader waits for.

import { fixtureDictionary } from '../../test/support/jetstream-double/dictionaries.ts'
import type { JetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import type { Emission } from '../../test/support/jetstream-double/emission.ts'
import { compressedFrame } from '../../test/support/jetstream-double/event-log.ts'

/** @returns starts the pouring. */
export function makeReady(double: JetstreamDouble, events: Iterable<Emission>): () => void {
  const dictionary = fixtureDictionary('v2')
  double.behaviour.stalled = true
  const before = double.entries().length
  for (const event of events) double.emit(event)
  for (const entry of double.entries().slice(before)) {
    compressedFrame(entry, 'v2', true, dictionary)
  }
  return () => {
    double.behaviour.stalled = false
    double.resume()
  }
}
