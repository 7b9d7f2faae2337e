; Everything is in bindings.scm of JavaScript and TypeScript.
