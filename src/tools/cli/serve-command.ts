// `slipstream serve`

import type { Command } from 'commander'
import type { CliContext } from './context.ts'
import { serve } from './serve.ts'

export function addServe(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('run the server until you stop it')
    .addHelpText(
      'after',
      '\nSIGTERM and ctrl-C let running requests finish. Same as scripts/start.',
    )
    .action(() => serve(context.config()))
}
