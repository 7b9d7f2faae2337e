<?php
// nikic/php-parser: classes, members, functions, constants.
require_once '/usr/share/php/PhpParser/autoload.php';
use PhpParser\Node;
use PhpParser\Node\Stmt;

class Walker
{
    public string $out = '';

    public function __construct(private string $path)
    {
    }

    private function put(Node $at, string $name, array $scope, string $kind): void
    {
        $row = ['path' => $this->path, 'line' => $at->getStartLine(), 'name' => $name, 'container' => implode('.', $scope), 'kind' => $kind];
        $this->out .= json_encode($row, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES) . "\n";
    }

    public function walk(array $nodes, array $scope, bool $local = false): void
    {
        foreach ($nodes as $node) {
            if ($node instanceof Node) {
                $this->visit($node, $scope, $local);
            } elseif (is_array($node)) {
                $this->walk($node, $scope, $local);
            }
        }
    }

    private function children(Node $node, array $scope, bool $local): void
    {
        foreach ($node->getSubNodeNames() as $field) {
            $value = $node->$field;
            if ($value instanceof Node) {
                $this->visit($value, $scope, $local);
            } elseif (is_array($value)) {
                $this->walk($value, $scope, $local);
            }
        }
    }

    private function visit(Node $node, array $scope, bool $local): void
    {
        if ($node instanceof Stmt\Namespace_) {
            $inner = $node->name ? explode('\\', $node->name->toString()) : [];
            if ($node->name) {
                $this->put($node->name, implode('.', $inner), [], 'namespace');
            }
            $this->walk($node->stmts, $inner, $local);
        } elseif ($node instanceof Stmt\ClassLike) {
            if ($node->name === null) {
                $this->walk($node->stmts, $scope, true);
                return;
            }
            $kind = strtolower(rtrim(substr(strrchr(get_class($node), '\\'), 1), '_'));
            $this->put($node->name, $node->name->name, $scope, $kind);
            $this->walk($node->stmts, [...$scope, $node->name->name], $local);
        } elseif ($node instanceof Stmt\ClassMethod || $node instanceof Stmt\Function_) {
            $kind = $node instanceof Stmt\Function_ ? 'function' : 'method';
            $name = $node->name->name;
            $this->put($node->name, $name, $scope, strtolower($name) === '__construct' ? 'constructor' : $kind);
            foreach ($node->params as $parameter) {
                if ($parameter->flags) {
                    $this->put($parameter->var, $parameter->var->name, $scope, 'promoted');
                }
            }
            $this->walk($node->stmts ?? [], [...$scope, $name], true);
        } elseif ($node instanceof Stmt\Property) {
            foreach ($node->props as $part) {
                $this->put($part, $part->name->name, $scope, 'property');
            }
        } elseif ($node instanceof Stmt\ClassConst || $node instanceof Stmt\Const_) {
            foreach ($node->consts as $part) {
                $this->put($part, $part->name->name, $scope, 'const');
            }
        } elseif ($node instanceof Stmt\EnumCase) {
            $this->put($node->name, $node->name->name, $scope, 'case');
        } elseif ($node instanceof Node\Expr\FuncCall && $node->name instanceof Node\Name && $node->name->toLowerString() === 'define') {
            $first = $node->args[0]->value ?? null;
            if ($first instanceof Node\Scalar\String_) {
                $this->put($first, $first->value, [], 'define');
            }
        } else {
            $this->children($node, $scope, $local);
        }
    }
}

$parser = (new PhpParser\ParserFactory())->create(PhpParser\ParserFactory::PREFER_PHP7);
while (($path = fgets(STDIN)) !== false) {
    $path = rtrim($path, "\n");
    try {
        $tree = $parser->parse(file_get_contents($path));
        $walker = new Walker($path);
        $walker->walk($tree ?? [], []);
        echo $walker->out;
    } catch (PhpParser\Error $error) {
        echo json_encode(['path' => $path, 'error' => $error->getMessage()]), "\n";
    }
}
