// The seed of a random test: a new one for each run, printed, so that a failure can be replayed with
// TEST_SEED=<number>. On CI it is fixed, so that a failure can only come from the change under test.

const CI_SEED = 20_261_121

export function testSeed(name: string): number {
  const seed = Number(process.env['TEST_SEED'] ?? freshSeed())
  console.info(`${name}: TEST_SEED=${seed}`)
  return seed
}

function freshSeed(): number {
  return process.env['CI'] ? CI_SEED : Math.floor(Math.random() * 2 ** 31)
}
