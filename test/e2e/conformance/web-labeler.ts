// A labeler with a did:web, for networks with a real PLC directory: its document is served here, next to the
// labelling double.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type LabelerDouble, startLabelerDouble } from '../../support/labeler-double.ts'
import type { DidDocument } from '../../support/plc-double.ts'

export async function startWebLabeler(): Promise<LabelerDouble> {
  let document: DidDocument = {}
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const did = `did:web:localhost%3A${(server.address() as AddressInfo).port}`
  document = { '@context': ['https://www.w3.org/ns/did/v1'], id: did }
  const labeler = await startLabelerDouble(
    {
      create: async () => ({ did }),
      edit: (_, change) => {
        document = change(document) ?? {}
      },
    },
    'labeler.test',
  )
  return {
    ...labeler,
    async close() {
      await labeler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
