// Fixes as typed for this kind of installation: a release of deploy/install.sh, the image, the npm package,
// or a checkout. A command for another kind would not be found, or would fix another copy.

import { findInstallation, type Installation } from '../../base/util/installation.ts'

type Cures = {
  /** How to run a command of the command line. */
  command(line: string): string
  start: string
  stop: string
  restart: string
  /** Where the server's log is, as part of a sentence. */
  log: string
  /** How to reinstall the packages. */
  reinstall: string
  /** @param uid - the owner of the data folder. */
  asUser(uid: number): string
}

const COMPOSE = 'docker compose -f deploy/compose.yaml --env-file deploy/slipstream.env'

const cures: Record<Installation, Cures> = {
  release: {
    command: (line) => `slipstream ${line}`,
    start: 'Start it: `sudo systemctl start slipstream`.',
    stop: 'Stop it: `sudo systemctl stop slipstream`.',
    restart: 'Restart it: `sudo systemctl restart slipstream`.',
    log: '`sudo journalctl -u slipstream -n 50`',
    reinstall:
      'Run `sudo deploy/install.sh --reinstall` in the checkout that it was installed from.',
    asUser: () => 'Run commands as `slipstream`, which switches to that user.',
  },
  container: {
    command: (line) => `${COMPOSE} exec slipstream slipstream ${line}`,
    start: `Start it: \`${COMPOSE} up -d\`.`,
    stop: `Stop it: \`${COMPOSE} stop slipstream\`; then replace \`exec slipstream slipstream\` by \`run --rm --entrypoint slipstream slipstream\`.`,
    restart: `Restart it: \`${COMPOSE} restart slipstream\`.`,
    log: `\`${COMPOSE} logs --tail 50 slipstream\``,
    reinstall: `Rebuild the image: \`${COMPOSE} build --no-cache slipstream\`, then \`${COMPOSE} up -d\`.`,
    asUser: (uid) =>
      `Run commands as that user: \`${COMPOSE} exec --user ${uid} slipstream slipstream …\`.`,
  },
  package: {
    command: (line) => `npx slipstream ${line}`,
    start: 'Start it: `npx slipstream serve`.',
    stop: 'Stop it: Ctrl-C, or SIGTERM.',
    restart: 'Restart it: stop it, and run `npx slipstream serve` again.',
    log: 'what the server printed (your own service: `journalctl`)',
    reinstall: 'Reinstall the package: `npm install slipstream`.',
    asUser: (uid) => `Run commands as that user: \`sudo -u '#${uid}' npx slipstream doctor\`.`,
  },
  checkout: {
    command: (line) => `scripts/slipstream ${line}`,
    start: 'Start it: `scripts/start`.',
    stop: 'Stop it: Ctrl-C, or SIGTERM (your own service: `sudo systemctl stop slipstream`).',
    restart:
      'Restart it: stop it, and run `scripts/start` again (your own service: `sudo systemctl restart slipstream`).',
    log: 'what the server printed (your own service: `journalctl`)',
    reinstall: 'Run `rm -rf node_modules && scripts/slipstream doctor`, which reinstalls them.',
    asUser: (uid) => `Run commands as that user: \`sudo -u '#${uid}' scripts/slipstream doctor\`.`,
  },
}

/** The fixes for the installation that runs this. */
export const here: Cures = cures[findInstallation()]
