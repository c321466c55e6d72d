import { join } from "node:path";
import ts from "typescript";
import { root } from "./repository.ts";

/** A variable of a sink, and the option that it sets. */
export interface Variable {
  name: string;
  isRequired: boolean;
  option: string;
  /** The docstring of the option. */
  meaning: string;
}

const file = join(root, "packages/node/src/commands/sink-choice.ts");
const program = ts.createProgram([file], {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  types: [],
});
const checker = program.getTypeChecker();

function find<Kind extends ts.Node>(node: ts.Node, is: (one: ts.Node) => one is Kind): Kind | undefined {
  return is(node) ? node : ts.forEachChild(node, (child) => find(child, is));
}

function meaningOf(make: ts.Expression, option: string): string {
  const [options] = checker.getTypeAtLocation(make).getCallSignatures()[0]!.getParameters();
  const property = checker.getTypeOfSymbolAtLocation(options!, make).getNonNullableType().getProperty(option);
  const text = ts.displayPartsToString(property?.getDocumentationComment(checker));
  if (text === "") throw new Error(`${make.getText()} has no docstring for its option ${option}.`);
  return text.replaceAll(/\s+/g, " ");
}

function variableOf(make: ts.Expression, property: ts.ObjectLiteralElementLike): Variable {
  if (!ts.isPropertyAssignment(property)) throw new Error(`Not an option: ${property.getText()}`);
  const option = property.name.getText();
  const { initializer } = property;
  return {
    name: find(initializer, ts.isStringLiteral)!.text,
    isRequired: find(initializer, ts.isCallExpression)?.expression.getText() === "required",
    option,
    meaning: meaningOf(make, option),
  };
}

function variablesOf(choice: ts.Expression): readonly Variable[] {
  if (!ts.isCallExpression(choice)) return [];
  const [make, options] = choice.arguments;
  if (!make || !options || !ts.isObjectLiteralExpression(options))
    throw new Error(`Not the choice of a sink: ${choice.getText()}`);
  return options.properties.map((property) => variableOf(make, property));
}

/** The variables of each sink, as sink-choice.ts lists them; none for a sink that takes its options from flags. */
export function sinkVariables(): ReadonlyMap<string, readonly Variable[]> {
  const isChoices = (node: ts.Node): node is ts.VariableDeclaration =>
    ts.isVariableDeclaration(node) && node.name.getText() === "sinkChoices";
  const { initializer } = find(program.getSourceFile(file)!, isChoices)!;
  if (!initializer || !ts.isObjectLiteralExpression(initializer))
    throw new Error("sinkChoices is no object.");
  const choices = initializer.properties.filter(ts.isPropertyAssignment);
  return new Map(choices.map(({ name, initializer: choice }) => [name.getText(), variablesOf(choice)]));
}
