import type { Command } from 'commander'

export type JsonOption = { json?: boolean }

export function withJson(command: Command): Command {
  return command.option('--json', 'print the result as JSON')
}
