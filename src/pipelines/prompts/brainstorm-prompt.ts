import { freePlanPath, slugOf } from '../plan/plan-path.js'

/** Where the design of a topic is written; a number is added if the file exists. */
export function designPath(topic: string | null, now: number, isTaken: (path: string) => boolean): string {
  const day = new Date(now).toISOString().slice(0, 10)
  return freePlanPath(`docs/plans/${day}-${topic === null ? 'idea' : slugOf(topic)}-design.md`, isTaken)
}

/** The first prompt of a conversation that ends in a design document. */
export function brainstormPrompt(topic: string | null, path: string): string {
  const about = topic === null ? 'Ask me first what the idea is.' : `The idea: ${topic}`
  return `Help me to turn an idea into a design that another engineer can implement without asking me. ${about}

Read the project first: its documents, its structure, its recent commits. Then ask me what you must know, one question at a time, with two to four answers to choose from and the one that you recommend. Do not ask what the project answers itself. When you know enough, propose two or three approaches with their costs, and recommend one.

When I have chosen, write the design to ${path}, and change no other file. It begins with a heading of one line that names the result. Its sections: Goal, What it does not do, Behaviour (with examples), Structure (files and interfaces), Errors, Tests. Leave out what is not needed, and guess nothing: what I have not decided is listed under Open questions. Then tell me in one sentence that it is ready.`
}
