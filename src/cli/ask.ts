import { createInterface } from 'node:readline/promises'

/** Asks the person one line. Only where both ends are a terminal: the caller has checked. */
export async function askLine(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await reader.question(question)
  } finally {
    reader.close()
  }
}
