// Writes src/features/dataplane/generated/ from the interface of the reference AppView's package
// (dataplane-descriptor.ts), with Buf's generator for TypeScript. To move the project to a newer version of
// the package: `npm ci` in test/e2e, then `node scripts/dataplane/generate-dataplane.ts`.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt'
import { PROTOS, upstreamDescriptor, upstreamVersion } from './dataplane-descriptor.ts'

const root = join(import.meta.dirname, '../..')
const out = join(root, 'src/features/dataplane/generated')

const version = upstreamVersion()
if (version === undefined)
  throw new Error('Run `npm ci` in test/e2e first: this script reads its package.')

for (const proto of PROTOS) {
  const file = await upstreamDescriptor(proto)
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [file.name],
    parameter: 'target=ts,import_extension=ts,erasable_syntax=true',
    protoFile: [file_google_protobuf_timestamp.proto, file],
  })
  const answer = execFileSync(join(root, 'node_modules/.bin/protoc-gen-es'), {
    input: toBinary(CodeGeneratorRequestSchema, request),
    maxBuffer: 1 << 26,
  })
  const { error, file: files } = fromBinary(CodeGeneratorResponseSchema, answer)
  if (error) throw new Error(error)
  for (const { name, content } of files) {
    const head = `// From @atproto/bsky ${version} by scripts/dataplane/generate-dataplane.ts.\n`
    writeFileSync(join(out, name.replace('_', '-')), head + content)
  }
}
