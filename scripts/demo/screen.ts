// What the demo says once it runs: all there is to look at, on one screen of 80 columns and 24 lines (an address may be
// longer than its line), before one request to paste.

import { hostname, userInfo } from 'node:os'
import { asCurl, type Request } from './requests.ts'

export type Scene = {
  origin: string
  /** Of pages with a session. */
  clientOrigin: string
  people: number
  few: { handle: string; follows: number }
  many: { handle: string; follows: number }
  limit: number
  operatorToken: string
  videoPath: string
  requests: readonly [Request, ...Request[]]
  functionsFile: string
  dataDir: string
  /** Ports that a browser needs, for who is here from another machine. */
  ports: readonly number[]
  isFromElsewhere: boolean
}

export function screen(visible: Scene): string {
  const { origin, clientOrigin, few, many, limit } = visible
  const [first] = visible.requests
  const commands = visible.requests.map(({ command, what }) => `  ${command.padEnd(9)}${what}`)
  return `
Slipstream runs at ${origin}, reading a simulated network of ${inEnglish(visible.people)} people.

Open this link: you are signed in as an invented reader, and read and write.
  ${signIn(visible, few.handle)}
Then, in the same browser:
  ${clientOrigin}${visible.videoPath}
           a video, cut here from the file on its author's server
  ${signIn(visible, many.handle)}
           one who follows ${inEnglish(many.follows)} people, not ${inEnglish(few.follows)}: ${draw(many.follows, limit)}
  ${origin}/explore  why a timeline is as it is; token: ${visible.operatorToken}
  ${origin}/         the status page
${otherWay(limit)}

For programs: read the commands into your shell, then type one of them.
  . ${visible.functionsFile}
${commands.join('\n')}
The command line asks this server too:
  SLIPSTREAM_DATA_DIR=${visible.dataDir} scripts/slipstream stats
${fromElsewhere(visible)}
Or paste the first of them; its token is good for a day:
${asCurl(origin, first)}
`
}

function draw(follows: number, limit: number): string {
  if (limit === 0 || follows <= limit) return 'no post is left out'
  return `${Math.round((100 * limit) / follows)} of 100 posts are drawn`
}

function otherWay(limit: number): string {
  return limit === 0
    ? 'With the draw: scripts/start --demo'
    : 'Without the draw: SLIPSTREAM_REASONABLE_LIMIT=0 scripts/start --demo'
}

/** The simulated PDS asks nobody, so it holds no secret. */
function signIn({ clientOrigin }: Scene, handle: string): string {
  return `${clientOrigin}/read?name=${handle}`
}

/** The links name this machine, which is another one than the browser's over ssh. */
function fromElsewhere({ isFromElsewhere, ports }: Scene): string {
  if (!isFromElsewhere) return ''
  const forwarded = ports.map((port) => `-L ${port}:localhost:${port}`).join(' ')
  return `
On your own machine, run this first; the links then work there:

ssh ${forwarded} ${userInfo().username}@${hostname()}
`
}

function inEnglish(count: number): string {
  return count.toLocaleString('en-US')
}
