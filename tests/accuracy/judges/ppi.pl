# PPI: packages, named subs, constants, package variables.
use strict; use warnings;
use PPI; use JSON::PP;
my $json = JSON::PP->new->canonical;
while (my $path = <STDIN>) {
    chomp $path;
    my $document = PPI::Document->new($path);
    if (!$document || !$document->complete && 0) { print $json->encode({path => $path, error => "syntax"}), "\n"; next }
    $document->index_locations;
    my $package = "";
    my $put = sub {
        my ($node, $name, $kind, $scope) = @_;
        print $json->encode({path => $path, line => $node->location->[0], name => $name, container => $scope // $package, kind => $kind}), "\n";
    };
    my $found = $document->find(sub { $_[1]->isa('PPI::Statement::Package') || $_[1]->isa('PPI::Statement::Sub') || $_[1]->isa('PPI::Statement::Include') || $_[1]->isa('PPI::Statement::Variable') }) || [];
    for my $node (@$found) {
        if ($node->isa('PPI::Statement::Package')) {
            my $name = $node->namespace =~ s/::/./gr;
            $put->($node->schild(1), $name, "package", "");
            $package = $name;
        } elsif ($node->isa('PPI::Statement::Sub') && $node->name && !$node->isa('PPI::Statement::Scheduled')) {
            my $name = $node->name;
            my ($token) = grep { $_->content eq $name } $node->schildren;
            my @parts = split /::/, $name;
            my $last = pop @parts;
            $put->($token || $node, $last, $node->block ? "sub" : "forward", @parts ? join(".", @parts) : undef);
        } elsif ($node->isa('PPI::Statement::Include') && $node->type eq 'use' && ($node->module // '') eq 'constant') {
            for my $word (@{$node->find('PPI::Token::Word') || []}) {
                my $next = $word->snext_sibling;
                my $top = $word->parent;
                my $first = $top == $node && $word->sprevious_sibling && $word->sprevious_sibling->content eq 'constant';
                my $key = $next && $next->content eq '=>' && $top->isa('PPI::Statement::Expression') && $top->parent->isa('PPI::Structure::Constructor') && $top->parent->parent == $node;
                $put->($word, $word->content, "constant") if $first || $key;
            }
        } elsif ($node->isa('PPI::Statement::Variable') && $node->type eq 'our') {
            for my $symbol (@{$node->find('PPI::Token::Symbol') || []}) {
                last if $symbol->sprevious_sibling && $symbol->sprevious_sibling->content eq '=';
                my $name = $symbol->content =~ s/^[\$\@%]//r;
                $put->($symbol, $name, "our") if $symbol->parent == $node || $symbol->parent->parent->parent == $node;
            }
        }
    }
}
