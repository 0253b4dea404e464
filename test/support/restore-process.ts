import { afterAll } from 'vitest'

/*
 * Test files share processes. After each file its changes of the environment and the directory are
 * undone, so that the next one starts as the first did.
 */
const environment = { ...process.env }
const directory = process.cwd()

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(directory)
})
