// Words that people type of other programs' command lines: each says what it is called here. A guess by letters alone
// answers `start` with `stats`.

import type { Command } from 'commander'
import { here } from '../doctor/cures.ts'
import { CliError, EXIT } from '../fail.ts'

const answers: Record<string, string> = {
  start: here.start,
  run: here.start,
  stop: here.stop,
  restart: here.restart,
  status: `\`${here.command('stats')}\` shows what it does, \`${here.command('doctor')}\` whether all is well.`,
  logs: `It is ${here.log}.`,
  update: 'docs/OPERATING.md, “Upgrade”, has the commands.',
  upgrade: 'docs/OPERATING.md, “Upgrade”, has the commands.',
  uninstall: 'docs/LEAVING.md has the commands.',
  version: `\`${here.command('--version')}\` shows it.`,
}

export function addOtherWords(program: Command): void {
  for (const [word, hint] of Object.entries(answers)) {
    program
      .command(word, { hidden: true })
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new CliError(`There is no command ${word}.`, hint, EXIT.usage)
      })
  }
}
