import type { Command } from 'commander'
import type { CliContext } from './context.ts'
import { serve } from './serve.ts'

export function addServe(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('run the server until you stop it')
    .addHelpText(
      'after',
      '\nOn SIGTERM and Ctrl-C, running requests finish first. Same as scripts/start.',
    )
    .action(() => serve(context.config()))
}
