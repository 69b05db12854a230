// Usage text for this project's scripts (npm run …): printed on --help, and below the error if the arguments
// are wrong.

import { EXIT } from './fail.ts'

/** @returns the result of `read`; prints the usage and exits on --help, or if `read` throws. */
export function readArguments<T>(
  usage: string,
  read: (args: string[]) => T,
  args: string[] = process.argv.slice(2),
): T {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return read(args)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(EXIT.usage)
  }
}
