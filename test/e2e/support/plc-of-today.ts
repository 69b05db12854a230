// The PLC directory in front of dev-env's, with plc.directory's current format.
//
// dev-env's directory still writes keys in the 2022 format (EcdsaSecp256k1VerificationKey2019, an
// uncompressed point), which the real Jetstream server can't read. This rewrites them as Multikey, from the
// operation data that the directory serves next to the document.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { passThrough } from './pass-through.ts'

type VerificationMethod = { id: string; controller: string }
type DidDocument = { id: string; verificationMethod: VerificationMethod[] }
type OperationData = { verificationMethods: Record<string, string> }

export type Plc = { url: string; stop: () => void }
export type ChangeDocument = <T extends { id: string }>(document: T) => T

/** @param change - of every document that it serves */
export async function startPlcOfToday(
  origin: string,
  change: ChangeDocument = (document) => document,
): Promise<Plc> {
  const server = createServer((req, res) => {
    const isDocument = req.method === 'GET' && /^\/did:plc:[a-z2-7]+$/.test(req.url ?? '')
    if (!isDocument) return passThrough(origin, req, res)
    answerDocument({ origin, change }, req, res).catch(() => res.writeHead(502).end())
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://localhost:${port}`, stop }
}

async function answerDocument(
  { origin, change }: { origin: string; change: ChangeDocument },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const answer = await fetch(origin + req.url)
  if (!answer.ok) return void res.writeHead(answer.status).end(await answer.text())
  const document = (await answer.json()) as DidDocument
  const data = (await (await fetch(`${origin}${req.url}/data`)).json()) as OperationData
  const verificationMethod = document.verificationMethod.map((verificationMethod) =>
    asMultikey(verificationMethod, data),
  )
  res.setHeader('content-type', 'application/did+ld+json')
  res.end(JSON.stringify(change({ ...document, verificationMethod })))
}

function asMultikey({ id, controller }: VerificationMethod, data: OperationData): object {
  const name = id.slice(id.indexOf('#') + 1)
  const publicKeyMultibase = data.verificationMethods[name]?.replace('did:key:', '')
  return { id, type: 'Multikey', controller, publicKeyMultibase }
}
