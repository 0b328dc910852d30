"""The grammar of SPARQL 1.1 by examples: what it has is read and printed, what it has not is refused."""

import pytest
from support.parsing import parse

from sparqlish import SparqlishError, print_query

PROLOGUE = "PREFIX : <http://example/> BASE <http://example/base/>\n"

READ = r"""
SELECT * WHERE { }
SELECT * { ?x ?y ?z . }
SELECT * WHERE { ?x ?y ?z . ?a ?b ?c }
SELECT * WHERE { ?x ?y ?z . ?a ?b ?c . }
SELECT * WHERE { ?x ?y ?z,:o1--o2 . ?a :1p ?c }
SELECT * WHERE { ?x rdf:type ?y }
BASE <http://example.org/ns#> PREFIX : <> SELECT * WHERE { :x ?y <z> }
PREFIX a.b: <http://x/> SELECT * WHERE { a.b:x ?y ?z }
PREFIX a: <http://x/> SELECT * WHERE { a:a.b ?y ?z }
PREFIX a-b: <http://x/> SELECT * { a-b:x.y-z ?y :a.b.c . }
PREFIX ex: <http://x/#> PREFIX : <http://x#> SELECT * { :_1 ?y _:z. :a-b.c_d ?p 1. }
SELECT * { : : : . }
SELECT * WHERE { OPTIONAL { } }
SELECT * WHERE { OPTIONAL { :x :y :z } }
SELECT * WHERE { OPTIONAL { :x :y :z } . }
SELECT * WHERE { OPTIONAL { :x :y :z . } }
SELECT * WHERE { FILTER (1) . ?a :b :c . OPTIONAL {?d ?e ?f} . FILTER (true) }
SELECT * WHERE { :a :b :c OPTIONAL { :x :y :z } }
SELECT * WHERE { :a :b :c . OPTIONAL { :x :y :z } . :d :e :f }
SELECT * WHERE { { OPTIONAL { :x :y :z } } UNION { ?a ?b ?c } }
SELECT * WHERE { :p :q :r ; ; }
SELECT * WHERE { :p :q :r ; . }
SELECT * WHERE { :p :q :r ;;;; :s :t ;; . }
SELECT * WHERE { :p :q :r ; :s :t , :u , :v }
SELECT * { { ?s ?p ?o } . { ?s ?p ?o } }
SELECT * { {} {} {} }
SELECT * { {} . ?s ?p ?o . {} }
SELECT * WHERE { :p :q "x"@en , 'x'@en-UK , "x"^^xsd:byte, "x"^^<http://x#dt> }
SELECT * WHERE { [] :p [] }
SELECT * WHERE { [ ] :p [ ] }
SELECT * WHERE { [ :p :q ] }
SELECT * WHERE { [ :p :q ] . }
SELECT * WHERE { [ ?x ?y ] :p [ ?pa ?b ] }
SELECT * WHERE { [ :p :q ; ] }
SELECT * WHERE { _:a :p1 :q1 . _:a :p2 :q2 . }
SELECT * WHERE { <http://example.org/:a> :b :c }
SELECT * { () :p 1 }
SELECT * { ( ) :p ( ) }
SELECT * { ( ?x ?y ) :p ( "a" 1 [ :p 1 ] ( ) (1 (2)) ) }
SELECT * { (1) }
SELECT * { (1) . (2) :p (3) }
SELECT * { ([] [:p ()]) . }
SELECT * { [:p (1 2)] :q [] ; :r () }
SELECT * { ?x ?y ?z FILTER(?x < ?y) FILTER(?x<?y) FILTER(?x<?y && ?z>?y) }
SELECT * { ?x :p ?z FILTER bound(?z) }
SELECT * { ?x :p ?z FILTER(!bound(?z)) FILTER(! ?z) FILTER(!!?z) FILTER(- - 5 < +?z) }
SELECT * { FILTER(?a || ?b && ?c || ?d) }
SELECT * { FILTER(?a = ?b || ?c != ?d && ?e >= 1) }
SELECT * { ?x ?y ?z } ORDER BY ?x LIMIT 5 OFFSET 3
SELECT * { ?x ?y ?z } ORDER BY ASC(?x) DESC(?y) str(?z) (?x) xsd:integer(?z) ?y
SELECT * { ?x ?y ?z } OFFSET 3 LIMIT 5
SELECT * { ?x ?y ?z } LIMIT 5
SELECT * { ?x ?y ?z } OFFSET 5
SELECT * { ?x ?y ?z } OFFSET 0 LIMIT 0
SELECT ?a ?b ?c $d WHERE { $a ?b ?c }
SELECT DISTINCT * { ?a ?b ?c }
SELECT REDUCED * { ?a ?b ?c }
SELECT REDUCED ?a ?b { ?a ?b ?c }
CONSTRUCT { ?s <p1> <o> . ?s <p2> ?o } WHERE {?s ?p ?o}
CONSTRUCT { ?s <p1> <o> . ?s <p2> ?o . } WHERE {?s ?p ?o}
CONSTRUCT { ?s <p1> <o> . ?s <p2> ?o . } WHERE {?s ?p ?o .}
CONSTRUCT {} WHERE {}
CONSTRUCT { [] :p ?o } { ?s ?p ?o }
CONSTRUCT { [ :p ?o ] } { ?s ?p ?o }
CONSTRUCT { ?s :p (1 2) } { ?s ?p ?o }
CONSTRUCT { _:a :p ?o } { _:a ?p ?o }
DESCRIBE <u>
DESCRIBE <u> <u2> ?x WHERE { ?x ?y ?z }
DESCRIBE ?x { ?x ?y ?z }
DESCRIBE * { ?x ?y ?z }
DESCRIBE :a ORDER BY ?x
DESCRIBE ?x WHERE { ?x :p ?y } LIMIT 1
ASK WHERE {}
ASK {}
ASK { ?x ?y ?z } LIMIT 1
select * where { ?x a ?y filter(?x = ?y) optional { ?a ?b ?c } }
SeLeCt * wHeRe { gRaPh ?g { ?s ?p ?o } }
SELECT * { GRAPH ?g { } }
SELECT * { GRAPH <g> { ?s ?p ?o } . }
SELECT * { GRAPH :g { ?s ?p ?o } ?a ?b ?c }
SELECT * { { ?s ?p ?o } UNION { ?a ?b ?c } UNION { } }
SELECT * { <a#b> ?p ?o } # c
SELECT * { ?s ?p "#not comment" }
SELECT*{?s?p?o}
SELECT?x{?x?y?z}
SELECT*WHERE{?a?b?c.OPTIONAL{?d?e?f}FILTER(?a=?b)}
SELECT (1+1 AS ?x) {}
SELECT ?x (?x+1 AS ?y) (?y*2 AS ?z) { ?a ?b ?x }
SELECT (COUNT(*) AS ?c) { ?s ?p ?o }
SELECT (COUNT(DISTINCT *) AS ?c) { ?s ?p ?o }
SELECT (GROUP_CONCAT(?x) AS ?y) { ?a ?b ?x }
SELECT (GROUP_CONCAT(DISTINCT ?x) AS ?y) { ?a ?b ?x }
SELECT (GROUP_CONCAT(?x; SEPARATOR=';') AS ?y) { ?a ?b ?x }
SELECT (GROUP_CONCAT(DISTINCT ?x; separator = ';') AS ?y) { ?a ?b ?x }
SELECT * { SELECT * { ?s ?p ?o } }
SELECT * { {SELECT * { ?s ?p ?o }} }
SELECT * { ?a ?b ?c {SELECT * { ?s ?p ?o }} ?x ?y ?z }
SELECT * { { SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 1 VALUES ?s { :a } } }
SELECT * { ?s ?p ?o } VALUES ?s { :a UNDEF 1 "x"@en true }
SELECT * { ?s ?p ?o } VALUES (?s ?o) { (:a :b) (UNDEF 1) }
SELECT * { ?s ?p ?o } VALUES () { }
SELECT * { ?s ?p ?o } VALUES () { () }
SELECT * { VALUES (?s) { (1) } VALUES ?t { } }
SELECT * { ?s ?p ?o } VALUES ( ) { ( ) ( ) }
SELECT * { ?s ?p ?o BIND(?o+1 AS ?z) }
SELECT * { ?s ?p ?o . BIND(?o+1 AS ?z) . ?s ?q ?z }
SELECT * { { ?s ?p ?o . BIND(?o+1 AS ?z) } UNION { ?s ?q ?z } }
SELECT * { BIND(1 AS ?x) { BIND(2 AS ?x) } }
SELECT * { ?s ?p ?o MINUS { ?s ?q ?z } }
SELECT * { ?s ?p ?o FILTER(?o IN ()) FILTER(?o NOT IN (1,2+3)) FILTER(?o in (1)) }
SELECT * { ?s :p*|:q+/^:r? ?o }
SELECT * { ?s (:p|:q)/(^:r*) ?o }
SELECT * { ?s !:p/!^:q|!(:a|^:b|a|^a) ?o }
SELECT * { ?s a/a*|^a ?o }
SELECT * { ?s :p [ :q/:r ?x ; ^:s [] ] }
SELECT * { [] :p/:q ( 1 [ :p* 2 ] ) }
SELECT * { ( 1 [ :p/:q 2 ] ) :r* ?x }
SELECT * { ?s :p+?o }
SELECT * { ?s :p+ 5 . ?s :p +5 }
SELECT * { ?s :p? ?o }
SELECT * { ?s :p?/:q ?o }
SELECT ?s (COUNT(?o) AS ?c) { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(?o) > 1) (COUNT(?o) < 5) ORDER BY ?c LIMIT 1
SELECT (COUNT(?o) AS ?c) { ?s ?p ?o } GROUP BY (str(?s)) str(?p) ?o (?o+1 AS ?k)
SELECT (?k AS ?z) { ?s ?p ?o } GROUP BY (?o+1 AS ?k)
SELECT ?x { ?x ?y ?z } GROUP BY ?x HAVING regex(str(?x),"a")
SELECT (SUM(?x)/COUNT(?x) AS ?y) { ?a ?b ?x } ORDER BY (SUM(?x))
ASK { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1)
CONSTRUCT WHERE { ?s ?p ?o . ?s :q [] ; :r (1 2) }
CONSTRUCT { ?s :c ?c } { { SELECT ?s (COUNT(*) AS ?c) { ?s ?p ?o } GROUP BY ?s } }
SELECT * { ?s ?p ?o FILTER(IF(?a,?b,?c)) FILTER(COALESCE(?a,?b)) FILTER(STRLEN("a")=1 || isNumeric(?a)) }
SELECT (NOW() AS ?n) (CONCAT() AS ?c) (COALESCE() AS ?d) {}
PREFIX x: <http://x/> SELECT * { x:a%20b ?p x:%AA . x:a\,b ?q x:\~x\.y\-z\!\$\&\'\(\)\*\+\,\;\=\/\?\#\@\%\_ }
PREFIX x: <http://x/> SELECT * { x::a ?p x:a:b . x:: ?q x:1:2 }
PREFIX x: <http://x/> SELECT * { x:a.1 ?p x:1.2.3 . x:a ?p x:b. x:c ?d x:e }
PREFIX x.y.z: <http://x/> SELECT * { x.y.z:a.b-c ?p 1.}
PREFIX é: <http://x/> SELECT * { é:ü ?πρ é:食べ物 }
SELECT ?日本 $x1_y ?1a ?_a { ?日本 ?p ?1a . $x1_y ?_a ?p }
SELECT * { \u003Chttp://x/\u003E ?p "\u00e9\U0001F600" }
SELECT * { ?\u0061 ?p ?o }
S\u0045LECT * { ?a ?b ?c }
SELECT * { ?s ?p "a\tb\n\r\b\f\\\"\'" }
SELECT * { _:a.b ?p _:1 . _:a-b ?p _:é }
SELECT * { ?s ?p "x"@en-Latn-US-x-a1 }
PREFIX a: <http://a/> PREFIX a: <http://b/> SELECT * { a:x ?p ?o }
BASE <http://a/b/> BASE <c/> SELECT * { <d> ?p <../e> , <#f> , <?q> , <> , </abs> , <//host/x> }
PREFIX : <http://x/> BASE <http://y/> PREFIX z: <rel#> SELECT * { z:a ?p :b }
SELECT * { ?s ?p ?o . FILTER(?o = 1) . FILTER(?o = 2) . }
SELECT * { ?s ?p ?o FILTER(?o=1)?s ?q ?z }
SELECT * { FILTER(1=1)FILTER(2=2)}
SELECT * { ?s ?p 1.?s ?q 2.0.?s ?r 3e0.}
SELECT * { ?s ?p true.?s ?q false.}
SELECT * { ?s ?p TRUE . FILTER(True) }
SELECT * { ?s a ?o . ?s a :C }
SELECT * { ?s ?p ?o } ORDER BY EXISTS { ?s ?p ?o }
SELECT * { ?s ?p ?o } ORDER BY DESC(EXISTS { ?s ?p ?o })
SELECT * { { } OPTIONAL { } MINUS { } GRAPH ?g { } }
SELECT (UUID() AS ?r) (STRUUID() AS ?s) (BNODE() AS ?b) (BNODE("x") AS ?c) {}
SELECT * { ?s ?p ?o FILTER(SUBSTR("a",1)="" || REPLACE("a","b","c","i") = "") }
SELECT * { VALUES ?x { -1 +2 -1.5 1e3 } }
SELECT (MIN(?x)+MAX(?x) AS ?y) (?y+1 AS ?z) { ?s ?p ?x }
SELECT (COUNT(*) AS ?c) { } HAVING (COUNT(*) > 0)
SELECT (xsd:integer(?x) AS ?y) { ?s ?p ?x }
SELECT (-?x AS ?y) (!?x AS ?z) { ?s ?p ?x }
SELECT ?x ?x { ?x ?p ?o }
SELECT * { ?s ?p ?o MINUS { BIND(1 AS ?s) } BIND(2 AS ?z) }
SELECT * { ?s ?p ?o { SELECT (1 AS ?z) {} } }
SELECT * { ?s ?p ?o FILTER NOT EXISTS { BIND(1 AS ?s) } }
SELECT * { ?s ?p ?o { SELECT ?s { ?s ?p ?z BIND(1 AS ?o) } } }
SELECT (?y AS ?x) { { SELECT ?y { ?x ?p ?y } } }
SELECT * { OPTIONAL { ?s ?p ?o } BIND(1 AS ?x) }
SELECT * { { ?s ?p ?x } FILTER(?x) { BIND(1 AS ?x) } }
SELECT ?x (1 AS ?z) { ?x ?p ?o MINUS { ?z ?p ?o } }
SELECT ?x (1 AS ?z) { ?x ?p ?o FILTER NOT EXISTS { ?z ?p ?o } }
"""

REFUSED = r"""
SELECT * WHERE { :s :p [] .
SELECT * { FILTER(?a &&
SELECT ?a ?b WHERE { ?x ?y
SELECT * { :x :y ( :z ) ) }
SELECT * { <s> <p> <o> ; }}
SELECT
SELECT * { ?x ?y ?z } ORDER
SELECT * { ?x ?y ?z } ORDER BY
SELECT * { ?x ?y ?z } LIMIT
SELECT * { ?x ?y ?z } LIMIT -1
SELECT * { ?x ?y ?z } LIMIT ?x
SELECT * { ?x ?y ?z } LIMIT 1.5
SELECT * { ?x ?y ?z } LIMIT 1 LIMIT 2
SELECT * { ?x ?y ?z } OFFSET 1 OFFSET 2
SELECT * { ?x ?y ?z } OFFSET 0 OFFSET 2
SELECT * { ?x ?y ?z } OFFSET 0 LIMIT 1 OFFSET 0
SELECT * { ?x ?y ?z } LIMIT 1 ORDER BY ?x
SELECT * { ?x ?y ?z } ORDER BY COUNT
SELECT * { ?x ?y }
SELECT * { ?x }
SELECT * { ?x ?y ?z , }
SELECT * { ?x ?y ?z ; ?w }
SELECT * { ?x ?y ?z . . }
SELECT * { . ?x ?y ?z }
SELECT * { . }
SELECT * { ; }
SELECT * { ?x ?y ?z ?a ?b ?c }
SELECT * { ?x ?y ?z { } . . }
SELECT * { OPTIONAL { } . . }
SELECT * { ?x :p ?y ?z :q ?w }
SELECT * { "a" }
SELECT * { 1 }
SELECT * { [] }
SELECT * { [] . }
SELECT * { () }
SELECT * { () . }
SELECT * { [ , :p ] :q :r }
SELECT * { :a :b [ :p ] }
SELECT * { :a "b" :c }
SELECT * { :a _:b :c }
SELECT * { :a [] :c }
SELECT * { :a 1 :c }
SELECT * { ?x a a }
SELECT * { a ?p ?o }
SELECT * { ?s A ?o }
SELECT * { _:a ?p ?v . { _:a ?q 1 } }
SELECT * { { _:a :p :q . } _:a ?q 1 }
SELECT * { _:a ?p ?v . { _:a ?q 1 } UNION { } }
SELECT * { { _:a ?p ?v } UNION { _:a ?q 1 } }
SELECT * { _:a ?p ?v . OPTIONAL { _:a ?q 1 } }
SELECT * { OPTIONAL { _:a ?q 1 } _:a ?p ?v . }
SELECT * { _:a ?p ?v . OPTIONAL { ?x ?y ?z } _:a ?q 1 }
SELECT * { _:a ?p ?v . { ?x ?y ?z } _:a ?q 1 }
SELECT * { _:a ?p ?v . GRAPH ?g { ?x ?y ?z } _:a ?q 1 }
SELECT * { _:who ?p ?v . GRAPH ?g { _:who ?y ?z } }
SELECT * { _:a ?p ?v . { ?x ?y ?z } UNION { } _:a ?q 1 }
SELECT * { _:a ?p ?v . MINUS { _:a ?y ?z } }
SELECT * { _:a ?p ?v . FILTER EXISTS { _:a ?y ?z } }
SELECT * { _:a ?p ?v . BIND(1 AS ?x) _:a ?y ?z }
SELECT * { _:a ?p ?v . VALUES ?x {} _:a ?y ?z }
SELECT * { _:a ?p ?v . { SELECT * { _:a ?y ?z } } }
CONSTRUCT { ?s ?p ?o }
CONSTRUCT { ?s ?p ?o FILTER(1) } { ?s ?p ?o }
CONSTRUCT { { ?s ?p ?o } } { ?s ?p ?o }
CONSTRUCT { ?s :p/:q ?o } { ?s ?p ?o }
CONSTRUCT { ?s :p* ?o } { ?s ?p ?o }
CONSTRUCT { ?s ^:p ?o } { ?s ?p ?o }
CONSTRUCT { ?s !:p ?o } { ?s ?p ?o }
CONSTRUCT { OPTIONAL { ?s ?p ?o } } { ?s ?p ?o }
CONSTRUCT { GRAPH ?g { ?s ?p ?o } } { ?s ?p ?o }
CONSTRUCT { [] } { ?s ?p ?o }
CONSTRUCT WHERE { ?s ?p ?o FILTER(?o) }
CONSTRUCT WHERE { { ?s ?p ?o } }
CONSTRUCT WHERE { OPTIONAL { ?s ?p ?o } }
CONSTRUCT WHERE { GRAPH ?g { ?s ?p ?o } }
CONSTRUCT WHERE { ?s :p/:q ?o }
CONSTRUCT WHERE { ?s ^:q ?o }
CONSTRUCT WHERE { ?s a/rdfs:subClassOf* ?o }
CONSTRUCT WHERE { SELECT * { ?s ?p ?o } }
CONSTRUCT ?x { ?s ?p ?o }
CONSTRUCT * { ?s ?p ?o }
DESCRIBE
DESCRIBE "x"
DESCRIBE _:x
DESCRIBE ?x (1 AS ?y) {}
ASK
ASK ?x { }
ASK SELECT * {}
SELECT * { SELECT }
SELECT ?x , ?y { ?x ?y ?z }
SELECT * ?x { ?x ?y ?z }
SELECT ?x * { ?x ?y ?z }
SELECT DISTINCT REDUCED ?x { ?x ?y ?z }
SELECT DISTINCT DISTINCT ?x { ?x ?y ?z }
SELECT (?x) { ?x ?y ?z }
SELECT ?x+1 { ?a ?b ?x }
SELECT (?x+1 ?y) { ?a ?b ?x }
SELECT (?x AS 1) { ?a ?b ?x }
SELECT ?x AS ?y { ?a ?b ?x }
SELECT (1 AS ?x) (2 AS ?x) {}
SELECT ?x (1 AS ?x) {}
SELECT (1 AS ?x) { ?x ?p ?o }
SELECT (1 AS ?x) { OPTIONAL { ?x ?p ?o } }
SELECT (1 AS ?x) { { SELECT ?x { ?x ?p ?o } } }
SELECT (1 AS ?x) { BIND(2 AS ?x) }
SELECT (1 AS ?x) { VALUES ?x { 1 } }
SELECT (1 AS ?x) { GRAPH ?x { } }
SELECT (1 AS ?x) { { ?x ?p ?o } UNION { } }
SELECT (1 AS ?x) { ?x :p* ?o }
SELECT (1 AS ?x) { ?x a/<http://www.w3.org/2000/01/rdf-schema#subClassOf>* ?o }
SELECT (1 AS ?x) { SELECT * { ?x ?p ?o } }
SELECT (?x AS ?y) (1 AS ?y) { ?a ?b ?x }
SELECT * { BIND(1 AS ?x) BIND(2 AS ?x) }
SELECT * { ?x ?p ?o BIND(2 AS ?x) }
SELECT * { ?x ?p ?o . BIND(2 AS ?o) }
SELECT * { { ?x ?p ?o } BIND(2 AS ?x) }
SELECT * { OPTIONAL { ?x ?p ?o } BIND(2 AS ?x) }
SELECT * { { ?x ?p ?o } UNION { ?a ?b ?c } BIND(2 AS ?x) }
SELECT * { GRAPH ?g { ?x ?p ?o } BIND(2 AS ?g) }
SELECT * { VALUES ?x { 1 } BIND(2 AS ?x) }
SELECT * { { SELECT ?x { ?x ?p ?o } } BIND(2 AS ?x) }
SELECT * { { SELECT * { ?x ?p ?o } } BIND(2 AS ?x) }
SELECT * { ?x :p+ ?o BIND(2 AS ?o) }
SELECT * { BIND(2 ?x) }
SELECT * { BIND(2) }
SELECT * { BIND 2 AS ?x }
SELECT * { ?s ?p ?o } GROUP BY ?s
SELECT * { ?s ?p ?o } HAVING (COUNT(*) > 1)
SELECT ?s ?o { ?s ?p ?o } GROUP BY ?s
SELECT (COUNT(?s) AS ?c) ?o { ?s ?p ?o }
SELECT (COUNT(?s) AS ?c) (?o+1 AS ?d) { ?s ?p ?o }
SELECT (COUNT(COUNT(?s)) AS ?c) { ?s ?p ?o }
SELECT (COUNT(?s AS ?c)) { ?s ?p ?o }
SELECT (COUNT(?s, ?o) AS ?c) { ?s ?p ?o }
SELECT (SUM(*) AS ?c) { ?s ?p ?o }
SELECT (COUNT() AS ?c) { ?s ?p ?o }
SELECT (GROUP_CONCAT(?s, "x") AS ?c) { ?s ?p ?o }
SELECT (GROUP_CONCAT(?s; SEPARATOR=1) AS ?c) { ?s ?p ?o }
SELECT (GROUP_CONCAT(?s; SEPARATOR=?o) AS ?c) { ?s ?p ?o }
SELECT COUNT(*) { ?s ?p ?o }
SELECT ?s { ?s ?p ?o FILTER(COUNT(?s) > 1) }
SELECT ?s { ?s ?p ?o BIND(COUNT(?s) AS ?c) }
SELECT ?s { ?s ?p ?o } GROUP BY COUNT(?s)
SELECT ?s { ?s ?p ?o } GROUP BY
SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING
SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING ?s
SELECT ?s { ?s ?p ?o } HAVING (1) GROUP BY ?s
SELECT (?o AS ?x) { ?s ?p ?o } GROUP BY (?o AS ?k)
SELECT (1 AS ?k) { ?s ?p ?o } GROUP BY (?o AS ?k)
SELECT * { VALUES (?x ?y) { (1) } }
SELECT * { VALUES (?x) { (1 2) } }
SELECT * { VALUES ?x { (1) } }
SELECT * { VALUES ?x ?y { 1 } }
SELECT * { VALUES (?x) { 1 } }
SELECT * { VALUES (?x ?x) { (1 2) } }
SELECT * { VALUES ?x { _:a } }
SELECT * { VALUES ?x { ?y } }
SELECT * { VALUES ?x { [] } }
SELECT * { VALUES ?x }
SELECT * { VALUES { 1 } }
SELECT * {} VALUES ?x { 1 } VALUES ?y { 1 }
SELECT * {} VALUES ?x { 1 } LIMIT 1
SELECT * { FILTER }
SELECT * { FILTER ?x }
SELECT * { FILTER 1 }
SELECT * { FILTER "a" }
SELECT * { FILTER ! ?x }
SELECT * { FILTER !bound(?x) }
SELECT * { FILTER (1,2) }
SELECT * { FILTER () }
SELECT * { FILTER (?a = ?b = ?c) }
SELECT * { FILTER (?a < ?b < ?c) }
SELECT * { FILTER (?a IN 1) }
SELECT * { FILTER (?a NOT (1)) }
SELECT * { FILTER (NOT ?a) }
SELECT * { FILTER (?a ! = ?b) }
SELECT * { FILTER (?a == ?b) }
SELECT * { FILTER (?a & ?b) }
SELECT * { FILTER (?a + ) }
SELECT * { FILTER (bound(1)) }
SELECT * { FILTER (bound(?x,?y)) }
SELECT * { FILTER (bound(?x+1)) }
SELECT * { FILTER (str()) }
SELECT * { FILTER (str(?x,?y)) }
SELECT * { FILTER (if(?x,?y)) }
SELECT * { FILTER (regex(?x)) }
SELECT * { FILTER (regex(?x,?y,?z,?w)) }
SELECT * { FILTER (substr(?x)) }
SELECT * { FILTER (now(1)) }
SELECT * { FILTER (nofunction(?x)) }
SELECT * { FILTER (?x(1)) }
SELECT * { FILTER (EXISTS ?x) }
SELECT * { FILTER (_:a = 1) }
SELECT * { FILTER ([] = 1) }
SELECT * { UNION { } }
SELECT * { {} UNION }
SELECT * { {} UNION ?s ?p ?o }
SELECT * { OPTIONAL }
SELECT * { OPTIONAL ?s ?p ?o }
SELECT * { MINUS ?s ?p ?o }
SELECT * { GRAPH { } }
SELECT * { GRAPH "g" { } }
SELECT * { GRAPH _:g { } }
SELECT * { GRAPH ?g }
SELECT * { GRAPH ?g ?h { } }
SELECT * { ?s :p{2} ?o }
SELECT * { ?s :p** ?o }
SELECT * { ?s :p/ ?o }
SELECT * { ?s /:p ?o }
SELECT * { ?s :p||:q ?o }
SELECT * { ?s :p| ?o }
SELECT * { ?s ^^:p ?o }
SELECT * { ?s !!:p ?o }
SELECT * { ?s !?p ?o }
SELECT * { ?s ?p* ?o }
SELECT * { ?s ^?p ?o }
SELECT * { ?s ?p/:q ?o }
SELECT * { ?s :q/?p ?o }
SELECT * { ?s !(:p/:q) ?o }
SELECT * { ?s !(:p*) ?o }
SELECT * { ?s !((:p)) ?o }
SELECT * { ?s ! ?o }
SELECT * { ?s () ?o }
SELECT * { ?s (:p ?o }
SELECT * { ?s "p"/:q ?o }
SELECT * { [ :p/:q ] ?x ?y }
PREFIX SELECT * {}
PREFIX x SELECT * {}
PREFIX x:y <http://x/> SELECT * {}
PREFIX x: http://x/ SELECT * {}
PREFIX x: <http://x/> ; SELECT * {}
PREFIX x: <http://x/> . SELECT * {}
PREFIX x <http://x/> SELECT * {}
PREFIX x. : <http://x/> SELECT * {}
PREFIX x.: <http://x/> SELECT * {}
PREFIX .x: <http://x/> SELECT * {}
PREFIX 1x: <http://x/> SELECT * {}
PREFIX -x: <http://x/> SELECT * {}
BASE SELECT * {}
BASE x: SELECT * {}
SELECT * { nope:x ?p ?o }
SELECT * { <a b> ?p ?o }
SELECT * { <a"b> ?p ?o }
SELECT * { <a{b}> ?p ?o }
SELECT * { <a|b> ?p ?o }
SELECT * { <a^b> ?p ?o }
SELECT * { <a`b> ?p ?o }
SELECT * { <a\b> ?p ?o }
SELECT * { <a<b> ?p ?o }
SELECT * { <a\u0020b> ?p ?o }
SELECT * { :a\x ?p ?o }
SELECT * { :a% ?p ?o }
SELECT * { :a%2 ?p ?o }
SELECT * { :a%GG ?p ?o }
SELECT * { :-a ?p ?o }
SELECT * { :.a ?p ?o }
SELECT * { :a~b ?p ?o }
SELECT * { :a,b ?p ?o }
SELECT * { :a. ?p ?o }
SELECT * { :a\u005Cb ?p ?o }
SELECT * { ?a.b ?p ?o }
SELECT * { ?a-b ?p ?o }
SELECT * { ? ?p ?o }
SELECT * { ?s ?p "abc }
SELECT * { ?s ?p 'abc }
SELECT * { ?s ?p "a\zb" }
SELECT * { ?s ?p "a\u12" }
SELECT * { ?s ?p "a\uD800" }
SELECT * { ?s ?p "x"@ }
SELECT * { ?s ?p "x"@1 }
SELECT * { ?s ?p "x"@en- }
SELECT * { ?s ?p "x"@en_us }
SELECT * { ?s ?p "x"@@en }
SELECT * { ?s ?p "x"^^ }
SELECT * { ?s ?p "x"^^"y" }
SELECT * { ?s ?p "x"^ ^xsd:string }
SELECT * { ?s ?p "x"^^?t }
SELECT * { ?s ?p "x"@en^^xsd:string }
SELECT * { ?s ?p 1e }
SELECT * { ?s ?p 1.2.3 }
SELECT * { ?s ?p - 1 }
SELECT * { ?s ?p --1 }
SELECT * { ?s ?p + }
SELECT * { ?s ?p _: }
SELECT * { ?s ?p _:a. b }
SELECT * { ?s ?p _:-a }
SELECT * { ?s ?p ?o } ORDER BY ?x ASC ?y
SELECT * { ?s ?p ?o } ORDER BY ASC
SELECT * { ?s ?p ?o } ORDER BY ASC ?x
SELECT * { ?s ?p ?o } ORDER BY ?x+1
SELECT * { ?s ?p ?o } ORDER BY 1
SELECT * { ?s ?p ?o } ORDER BY DESC DESC(?x)
SELECT * { ?s ?p ?o } ;
SELECT * { ?s ?p ?o } .
SELECT * { ?s ?p ?o } { ?s ?p ?o }
SELECT * { ?s ?p ?o } WHERE { }
SELECT * WHERE ?s ?p ?o
SELECT * WHERE WHERE { }
INSERT DATA { :a :b :c }
DELETE WHERE { ?s ?p ?o }
SELECT * FROM <x> { }
SELECT * { SERVICE <x> { } }
SELECT * { ?s ?p ?o . SELECT * { } }
SELECT * { SELECT * { } ?s ?p ?o }
SELECT * { SELECT * { } . }
SELECT * { SELECT * { } FILTER(1) }
SELECT * { { ASK {} } }
SELECT * { { CONSTRUCT {} WHERE {} } }
SELECT * { PREFIX x: <http://x/> ?s ?p ?o }
SELECT * { { PREFIX x: <http://x/> SELECT * {} } }
SELECT * { <<:a :b :c>> ?p ?o }
SELECT * { ?s ?p ?o } GROUP BY ?s ?o LIMIT 1
SELECT $ { }
SELECT ?x WHERE { ?x :p ?y FILTER(?y =) }
SELECT ?x WHERE { ?x :p 'a"b" }
SELECT * { ?x :p ?y. FILTER ?y > 1 }
SELECT (AVG(DISTINCT) AS ?x) { ?s ?p ?o }
SELECT (COUNT(DISTINCT DISTINCT ?s) AS ?x) { ?s ?p ?o }
SELECT (MIN(?x; separator=";") AS ?y) { ?s ?p ?x }
SELECT ?x { { SELECT ?x (COUNT(*) AS ?c) { ?x ?p ?o } } }
"""


@pytest.mark.parametrize("text", READ.strip().splitlines())
def test_read_and_printed(text):
    query = parse(PROLOGUE + text)
    assert parse(print_query(query)) == query


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_refused(text):
    with pytest.raises(SparqlishError):
        parse(PROLOGUE + text)


def test_comments_and_line_breaks_are_white_space():
    written = "# first\nSELECT * # all }\r\n{ ?s\t?p <a#b> # not the end }\n, '#' }# the end"
    assert parse(PROLOGUE + written) == parse(PROLOGUE + "SELECT * { ?s ?p <a#b> , '#' }")
