import { join, relative } from 'node:path'
import type { CallExpression, Expression, Node, ParameterDeclaration, SourceFile } from 'typescript/unstable/ast'
import {
  isObjectLiteralExpression,
  isPropertyAssignment,
  isPropertySignatureDeclaration,
  isShorthandPropertyAssignment,
  isStatement,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type NodeHandle, type Project } from 'typescript/unstable/sync'
import { PACKAGE_ROOT } from '../../src/process/index.js'

/**
 * What the build ships (`src/` without tests), as the compiler understands it. Tests ask it what
 * the program does with a definition, where a search for the name could be wrong in both
 * directions.
 */
export class CompiledProgram {
  readonly #api = new API({ cwd: PACKAGE_ROOT })
  readonly #project: Project

  constructor() {
    const snapshot = this.#api.updateSnapshot({ openProjects: [join(PACKAGE_ROOT, 'tsconfig.json')] })
    this.#project = snapshot.getProjects()[0]!
  }

  get checker(): Checker {
    return this.#project.checker
  }

  /** Paths below the repository. */
  files(): string[] {
    return this.#project.program
      .getSourceFileNames()
      .map(file => relative(PACKAGE_ROOT, file))
      .filter(file => file.startsWith('src/'))
  }

  file(path: string): SourceFile {
    const file = this.#project.program.getSourceFile(join(PACKAGE_ROOT, path))
    if (!file) throw new Error(`${path} is not part of the program`)
    return file
  }

  /** The names in the program that refer to what this name declares, without the name itself. */
  references(name: Node): Node[] {
    return this.checker
      .getReferencedSymbolsForNode(name, name.getStart())
      .flatMap(({ references }) => references)
      .map(handle => this.#nodeOf(handle))
      .filter(node => node.getSourceFile() !== name.getSourceFile() || node.getStart() !== name.getStart())
  }

  /**
   * Whether the program uses the value of this property. Copying it into a property of another
   * object is a use only if the program uses that property.
   */
  isUsed(name: Node, seen: ReadonlySet<string> = new Set()): boolean {
    const id = placeOf(name)
    if (seen.has(id)) return false
    return this.references(name)
      .filter(isRead)
      .some(read => {
        const copy = this.#copyOf(read)
        return copy === null || this.isUsed(copy, new Set([...seen, id]))
      })
  }

  /** The declared parameters of the function that this call calls. */
  parametersOf(call: CallExpression): readonly ParameterDeclaration[] {
    const declaration = this.checker.getResolvedSignature(call)?.declaration
    const node = declaration && this.#nodeOf(declaration)
    return node && 'parameters' in node ? (node.parameters as readonly ParameterDeclaration[]) : []
  }

  close(): void {
    this.#api.close()
  }

  /** The declared property that an object literal fills from this expression, if it does that. */
  #copyOf(read: Node): Node | null {
    for (let node = read; node.parent; node = node.parent) {
      const { parent } = node
      if (isPropertyAssignment(parent) && parent.initializer === node) return this.#declaredProperty(parent)
      if (isShorthandPropertyAssignment(parent)) return this.#declaredProperty(parent)
      if (isStatement(parent)) return null
    }
    return null
  }

  #declaredProperty(property: Node & { name: Node & { text?: string } }): Node | null {
    const literal = property.parent
    if (!literal || !isObjectLiteralExpression(literal) || property.name.text === undefined) return null
    const type = this.checker.getContextualType(literal as Expression)
    const symbol = type && this.checker.getPropertyOfType(type, property.name.text)
    const declaration = symbol?.declarations.map(handle => this.#nodeOf(handle))[0]
    return declaration && isPropertySignatureDeclaration(declaration) && isOwn(declaration) ? declaration.name : null
  }

  #nodeOf(handle: NodeHandle): Node {
    const node = handle.resolve(this.#project)
    if (!node) throw new Error(`no node at ${handle.path}#${handle.index}`)
    return node
  }
}

/** `file:offset`, for messages and comparisons. */
export function placeOf(node: Node): string {
  return `${relative(PACKAGE_ROOT, node.getSourceFile().fileName)}:${node.getStart()}`
}

function isOwn(node: Node): boolean {
  return !relative(PACKAGE_ROOT, node.getSourceFile().fileName).startsWith('node_modules')
}

/** Neither the declaration nor the name of a property that an object literal sets. */
function isRead(name: Node): boolean {
  const { parent } = name
  if (!parent) return false
  if (isPropertySignatureDeclaration(parent)) return parent.name !== name
  if (isPropertyAssignment(parent)) return parent.name !== name
  return !isShorthandPropertyAssignment(parent)
}
