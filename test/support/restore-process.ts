import { afterAll } from 'vitest'

/*
 * Test files share processes. After each file its changes of the environment, the directory and the
 * umask are undone, so that the next one starts as the first did.
 */
const environment = { ...process.env }
const directory = process.cwd()
const umask = process.umask()

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(directory)
  process.umask(umask)
})
