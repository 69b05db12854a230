// Forwards one HTTP request to another server and returns its answer, modified on the way if requested.

import { type IncomingMessage, request, type ServerResponse } from 'node:http'

export function passThrough(origin: string, req: IncomingMessage, res: ServerResponse): void {
  const upstream = request(new URL(req.url ?? '/', origin), {
    method: req.method ?? 'GET',
    headers: { ...req.headers, host: new URL(origin).host },
  })
  upstream.on('response', (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
  upstream.on('error', () => res.writeHead(502).end())
  req.pipe(upstream)
}
