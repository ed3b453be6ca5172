// Evaluates the expressions of steps with GitHub's own library, a step a line.
// Standard input: {contexts, succeeded, condition, texts}. Standard output: {runs, texts}.
import { createInterface } from "node:readline";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";
import { reviver } from "@actions/expressions/data/reviver";
import { truthy } from "@actions/expressions/result";

function evaluated({ contexts, succeeded, condition, texts }) {
  const known = JSON.parse(JSON.stringify(contexts), reviver);
  const status = { success: succeeded, failure: !succeeded, always: true, cancelled: false };
  const functions = new Map(Object.entries(status).map(([name, value]) => [
    name, { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(value) },
  ]));
  const evaluate = (text) => {
    const { tokens } = new Lexer(text).lex();
    const expression = new Parser(tokens, Object.keys(contexts), [...functions.values()]).parse();
    return new Evaluator(expression, known, functions).evaluate();
  };
  // A step without a status function in its condition runs where all before it succeeded.
  const asked = condition.replace(/^\s*\$\{\{([\s\S]*)\}\}\s*$/, "$1");
  const hasStatus = new Lexer(asked).lex().tokens.some((token) => functions.has(token.lexeme));
  const filled = Object.entries(texts).map(([name, text]) => [
    name, text.replace(/\$\{\{([\s\S]*?)\}\}/g, (_, inner) => evaluate(inner).coerceString()),
  ]);
  return {
    runs: truthy(evaluate(hasStatus ? asked : `success() && (${asked})`)),
    texts: Object.fromEntries(filled),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(evaluated(JSON.parse(line)))}\n`);
}
