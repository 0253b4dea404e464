import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORPUS, describeNeeding } from '../support/requirements.js'

/*
 * What real agents printed and left on disk at known points. Some of it is in fixtures/, more in
 * the corpus.
 */
const FIXTURES = join(import.meta.dirname, 'fixtures')

/** Paths of the recordings in a folder whose names are wanted. */
export type FindRecorded = (folder: string, isWanted: (name: string) => boolean) => string[]

export const recordedInFixtures: FindRecorded = (folder, isWanted) => namesIn(FIXTURES, folder, isWanted)

const recordedOnlyInCorpus: FindRecorded = (folder, isWanted) => {
  const shipped = new Set(recordedInFixtures(folder, isWanted).map(path => path.slice(FIXTURES.length)))
  return namesIn(CORPUS, folder, isWanted).filter(path => !shipped.has(path.slice(CORPUS.length)))
}

/** The same tests for the recordings in fixtures/ and for those that only the corpus has. */
export function describeRecorded<T>(name: string, find: (recorded: FindRecorded) => T[], body: (cases: T[]) => void) {
  const describeCases = (recorded: FindRecorded) => () => {
    const cases = find(recorded)
    it('has recordings', () => expect(cases).not.toEqual([]))
    body(cases)
  }
  describe(`${name}, in fixtures`, describeCases(recordedInFixtures))
  describeNeeding('corpus', `${name}, in the corpus`, describeCases(recordedOnlyInCorpus))
}

function namesIn(root: string, folder: string, isWanted: (name: string) => boolean): string[] {
  const directory = join(root, folder)
  const names = existsSync(directory) ? readdirSync(directory).filter(isWanted) : []
  return names.map(name => join(directory, name))
}
