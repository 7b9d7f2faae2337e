#lang racket/base
;; Racket's own reader: definitions of a module and its submodules, structs, classes and generics with their members; nothing in
;; functions. It also reads Scheme: records, libraries and modules.
(require racket/file racket/list racket/match racket/port racket/string)

(define (quoted text)
  (string-append "\"" (string-replace (string-replace (string-replace text "\\" "\\\\") "\"" "\\\"") "\n" " ") "\""))

(define path (make-parameter ""))

(define (put name scope kind)
  (when (and (word name) (syntax-line name)) (put-text (symbol->string (syntax-e name)) (syntax-line name) scope kind)))

(define (put-text text line scope kind)
  (printf "{\"path\": ~a, \"line\": ~a, \"name\": ~a, \"container\": ~a, \"kind\": ~a}\n" (quoted (path)) line
          (quoted text) (quoted (string-join scope ".")) (quoted kind)))

(define (parts form) (let ([inside (and (syntax? form) (syntax->list form))]) (or inside '())))
(define (word form) (and (syntax? form) (symbol? (syntax-e form)) (syntax-e form)))

;; Joins the words of a list with blanks.
(define (spelled form)
  (string-join (for/list ([each (parts form)] #:unless (pair? (syntax-e each))) (format "~a" (syntax->datum each))) " "))

;; Returns the name of `(define ((curried name) ...) ...)`.
(define (head form) (if (pair? (syntax-e form)) (head (car (syntax-e form))) form))

(define (within scope name) (if (word name) (append scope (list (symbol->string (word name)))) scope))

(define (visit-class form scope)
  (match (parts form)
    [(list* op inner)
     #:when (memq (word op) '(class class* class/derived mixin))
     (for ([each inner])
       (match (parts each)
         [(list* op names) #:when (memq (word op) '(field init-field)) (for ([one names]) (put (head one) scope "field"))]
         [_ (visit each scope)]))]
    [_ (void)]))

(define (visit form scope)
  (match (parts form)
    [(list* op name more)
     (case (word op)
       [(define define/contract define-for-syntax define-syntax define-syntax-rule define-syntax-parameter define-match-expander)
        (put (head name) scope (if (regexp-match? #rx"define-(syntax|match)" (symbol->string (word op)))
                                   "syntax" (if (pair? (syntax-e name)) "function" "value")))
        (for ([each more]) (visit-class each (within scope (head name))))]
       [(define-generics)
        (define own (head name))
        (put own scope "value")
        (for ([each more])
          (define method (and (syntax? each) (pair? (syntax-e each)) (car (syntax-e each))))
          (if (word method)
              (put method (within scope own) "function")
              ;; Fallback definitions, and definitions for some kind of values, each after the predicate.
              (for* ([one (parts each)] [default (cons one (parts one))]) (visit default (within scope own)))))]
       [(define-values define-syntaxes define-values-for-syntax) (for ([each (parts name)]) (put each scope "value"))]
       [(struct define-struct serializable-struct)
        (define own (head name))
        (put own scope "struct")
        (define fields (findf (lambda (each) (syntax->list each)) more))
        (when fields
          (for ([each (parts fields)])
            (put (head each) (within scope own) "field")))
        (for ([each (or (memf (lambda (each) (eq? (syntax-e each) '#:methods)) more) '())])
          (for ([one (parts each)]) (visit one (within scope own))))]
       [(define-record-type)
        (put (head name) scope "struct")
        (match more
          [(list* maker test fields)
           (put (head maker) (within scope (head name)) "constructor")
           (put test (within scope (head name)) "function")
           (for ([each fields])
             (match (parts each)
               [(list* field made)
                (put field (within scope (head name)) "field")
                (for ([one made]) (put one (within scope (head name)) "accessor"))]
               [_ (put each (within scope (head name)) "field")]))]
          [_ (void)])]
       [(defmacro) (put name scope "syntax")]
       [(define-class)
        (put name scope "struct")
        (for ([each (if (pair? more) (cdr more) '())]) (put (and (pair? (parts each)) (head each)) (within scope name) "field"))]
       [(define-module) (put-text (spelled name) (syntax-line name) scope "module")]
       [(library define-library)
        (put-text (spelled name) (syntax-line name) scope "module")
        (for ([each more]) (visit each (append scope (list (spelled name)))))]
       [(cond-expand) (for* ([each (cons name more)] [one (parts each)]) (visit one scope))]
       [(eval-when) (for ([each more]) (visit each scope))]
       [(begin begin-for-syntax) (for ([each (cons name more)]) (visit each scope))]
       [(module module* module+)
        (put name scope "module")
        (when (word name) (for ([each more]) (visit each (append scope (list (symbol->string (word name)))))))]
       [else
        (when (and (word op) (regexp-match? #px"^def(ine(?!d)|-)" (symbol->string (word op)))) (put (head name) scope "other"))])]
    [_ (void)]))

(define (top form)
  (match (parts form)
    [(list* op name _ body)
     #:when (eq? (word op) 'module)
     ;; `#lang` makes a module whose name is not in the text.
     (define written (regexp-match? #px"\\(module\\s" (list-ref (file->lines (path)) (sub1 (or (syntax-line form) 1)))))
     (define scope (if written (list (symbol->string (word name))) '()))
     (when written (put name '() "module"))
     (for ([each body])
       (match (parts each)
         [(list* begin inner) #:when (memq (word begin) '(#%module-begin module-begin)) (for-each (lambda (one) (visit one scope)) inner)]
         [_ (visit each scope)]))]
    [_ (visit form '())]))

(for ([each (in-lines)])
  (parameterize ([path each] [read-accept-reader #t] [read-accept-lang #t] [current-namespace (make-base-namespace)])
    (define rows (open-output-string))
    (with-handlers ([(lambda (_) #t) (lambda (_) (printf "{\"path\": ~a, \"error\": \"unread\"}\n" (quoted each)))])
      (call-with-input-file each
        (lambda (in)
          (port-count-lines! in)
          (parameterize ([current-output-port rows])
            (let loop ()
              (define form (read-syntax each in))
              (unless (eof-object? form) (top form) (loop))))))
      (display (get-output-string rows)))))
