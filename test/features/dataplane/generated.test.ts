// The generated code matches the reference's package, if that is installed.

import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import {
  upstreamDescriptor,
  upstreamVersion,
} from '../../../scripts/dataplane/dataplane-descriptor.ts'
import { support } from '../../../src/features/dataplane/calls/support.ts'
import { file_bsky, Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { file_bsync } from '../../../src/features/dataplane/generated/bsync-pb.ts'

const isInstalled = upstreamVersion() !== undefined
if (!isInstalled) console.warn('SKIPPED: no reference to compare with; run npm ci in test/e2e')

test.skipIf(!isInstalled).each([
  ['bsky', file_bsky],
  ['bsync', file_bsync],
] as const)('%s has the form of the reference’s', async (name, file) => {
  const upstream = await upstreamDescriptor(name)
  // JSON names of fields are derived from their names, and not stored.
  for (const one of upstream.messageType) {
    for (const field of [...one.field, ...one.nestedType.flatMap(({ field }) => field)])
      field.jsonName = ''
  }
  const bytes = (proto: typeof upstream) => Buffer.from(toBinary(FileDescriptorProtoSchema, proto))
  const kept = structuredClone(file.proto)
  for (const one of kept.messageType) {
    for (const field of [...one.field, ...one.nestedType.flatMap(({ field }) => field)])
      field.jsonName = ''
  }
  expect(bytes(kept).toString('hex')).toBe(bytes(upstream).toString('hex'))
})

test('the table names exactly the existing calls', () => {
  expect(Object.keys(support).sort()).toEqual(Object.keys(Service.method).sort())
})
