// All tests in one run (scripts/test): most of an end-to-end test is waiting, in which the others compute.

import { defineConfig } from 'vitest/config'
import unit from './vitest.config.ts'
import endToEnd from './vitest.e2e.config.ts'

const { include, exclude } = endToEnd.test!

export default defineConfig({
  test: {
    ...unit.test,
    projects: [
      ...unit.test!.projects!,
      { extends: true, test: { name: 'e2e', include: include!, exclude: exclude! } },
    ],
  },
})
