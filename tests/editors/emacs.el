;;; Scenarios for Emacs  -*- lexical-binding: t -*-

;; This runs after the page's configuration. `symindex-scenario' names one of the functions below, whose result is written as JSON
;; to `symindex-result'. Eglot 1.9 shows no progress, sends no cancellations, and starts a server for each project.

(require 'eglot)
(require 'imenu)
(require 'json)
(require 'xref)

(setq eglot-sync-connect 30
      eglot-autoshutdown nil
      make-backup-files nil
      create-lockfiles nil
      vc-follow-symlinks t)

(defconst symindex-seconds 40 "Longest wait for an event, in seconds.")
(defun symindex-wait (what condition)
  "Wait until CONDITION returns non-nil, and return its value; WHAT describes it in errors."
  (let ((end (+ (float-time) symindex-seconds)) found)
    (while (not (setq found (funcall condition)))
      (when (> (float-time) end) (error "Waited in vain for %s" what))
      (accept-process-output nil 0.1))
    found))

(defun symindex-open (path)
  "Visit PATH, with a server."
  (find-file path)
  (unless (eglot-current-server)
    (apply #'eglot (eglot--guess-contact)))
  (symindex-wait "the server" #'eglot-current-server))

(defun symindex-rows (pattern)
  "Return what `xref-find-apropos' shows for PATTERN, or the message to the user if it finds nothing."
  (save-window-excursion
    (condition-case problem
        (progn
          (xref-find-apropos pattern)
          (with-current-buffer "*xref*"
            (vconcat (split-string (buffer-substring-no-properties (point-min) (point-max)) "\n" t))))
      (user-error (vector (error-message-string problem))))))

(defun symindex-ask (query)
  "Return the rows of a workspace/symbol answer."
  (append (jsonrpc-request (eglot-current-server) :workspace/symbol (list :query query)) nil))

(defun symindex-wait-for (name expected)
  "Query until exactly the EXPECTED files, relative to the root, contain NAME."
  (let ((root (file-truename (project-root (eglot--project (eglot-current-server))))))
    (symindex-wait
     (format "%s in %s" name expected)
     (lambda ()
       (equal expected
              (sort (mapcar (lambda (row)
                              (file-relative-name (eglot--uri-to-path (plist-get (plist-get row :location) :uri)) root))
                            (seq-filter (lambda (row) (equal name (plist-get row :name))) (symindex-ask name)))
                    #'string<))))))

(defun symindex-wait-for-index ()
  "Wait until no search reports a partial answer."
  (symindex-wait "the end of the indexing" (lambda () (not (symindex-is-part)))))

(defun symindex-is-part ()
  "Return non-nil while answers cover only a part of the tree."
  (< 0 (length (plist-get (jsonrpc-request (eglot-current-server) :symindex/search '(:query "symindex")) :notices))))

(defun symindex-flush ()
  "Tell the server what was typed, as Eglot does when the user pauses."
  (eglot--signal-textDocument/didChange))

(defun symindex-imenu ()
  "Return the index of the buffer as text, in the order and nesting shown."
  (setq imenu--index-alist nil)
  (cl-labels ((show (entry)
                (cond ((markerp (cdr entry)) (format "%s:%d" (car entry) (line-number-at-pos (cdr entry))))
                      ((numberp (cdr entry)) (format "%s:%d" (car entry) (line-number-at-pos (cdr entry))))
                      (t (format "%s(%s)" (car entry) (mapconcat #'show (cdr entry) " "))))))
    (vconcat (mapcar #'show (cdr (imenu--make-index-alist t))))))

(defun symindex-write (path text)
  "Write TEXT to PATH without Emacs noticing."
  (make-directory (file-name-directory (expand-file-name path)) t)
  (call-process "sh" nil nil nil "-c" (format "printf %%s %s > %s" (shell-quote-argument text) (shell-quote-argument path))))

(defun symindex-find ()
  "Start, and return the lists."
  (symindex-open "src/auth.py")
  (symindex-wait-for-index)
  (list :workspace (symindex-rows "AuthService")
        :qualified (symindex-rows "AuthService.login")
        :other_language (symindex-rows "ParseHeader")
        :letters (symindex-rows "ahsv")
        :empty (length (symindex-ask ""))
        :outline (symindex-imenu)
        :nothing (symindex-rows "zqzqzq")))

(defun symindex-unsaved ()
  "Unsaved text is found; discarded text is not."
  (symindex-open "src/auth.py")
  (symindex-wait-for-index)
  (let (result)
    (goto-char (point-min))
    (insert "# 😀\nclass UnsavedThing: pass\ns = '😀'; MiddleOfLine = 1\n")
    (symindex-flush)
    (setq result (list :added (symindex-rows "UnsavedThing")
                       :moved (symindex-rows "AuthService")
                       :column (plist-get (plist-get (plist-get (plist-get (car (symindex-ask "MiddleOfLine")) :location) :range)
                                                     :start)
                                          :character)
                       :outline (symindex-imenu)))
    (goto-char (point-min))
    (search-forward "UnsavedThing")
    (replace-match "RenamedThing")
    (symindex-flush)
    (setq result (append result (list :renamed (symindex-rows "RenamedThing") :gone (symindex-rows "UnsavedThing"))))
    (revert-buffer t t)
    (symindex-flush)
    (setq result (append result (list :thrown_away (symindex-rows "RenamedThing") :back (symindex-rows "AuthService"))))
    (goto-char (point-min))
    (insert "class SavedThing: pass\n")
    (let ((inhibit-message t)) (save-buffer))
    (setq result (append result (list :saved (symindex-rows "SavedThing"))))
    (let ((auth (current-buffer)))
      (symindex-open "src/other.py")
      (kill-buffer auth))
    (append result (list :closed (symindex-rows "SavedThing")))))

(defun symindex-disk ()
  "Files change on the disk while Emacs runs."
  (symindex-open "src/auth.py")
  (symindex-wait-for-index)
  (let ((default-directory (project-root (eglot--project (eglot-current-server)))) list folder-list)
    (symindex-write "src/new.py" "class CreatedOutside: pass\n")
    (symindex-wait-for "CreatedOutside" '("src/new.py"))
    (call-process "mv" nil nil nil "src/new.py" "src/moved.py")
    (symindex-wait-for "CreatedOutside" '("src/moved.py"))
    (symindex-write "src/moved.py" "\n\nclass ChangedOutside: pass\n")
    (symindex-wait-for "ChangedOutside" '("src/moved.py"))
    (setq list (symindex-rows "ChangedOutside"))
    (call-process "rm" nil nil nil "src/moved.py")
    (symindex-wait-for "ChangedOutside" nil)
    (call-process "mv" nil nil nil "lib" "moved")
    (symindex-wait-for "InFolder" '("moved/deep/one.py"))
    (setq folder-list (symindex-rows "InFolder"))
    (symindex-write ".gitignore" "moved/\n")
    (symindex-wait-for "InFolder" nil)
    (list :list list :folder_list folder-list)))

(defun symindex-folders ()
  "Visit a file of a second project, and one of a third mode in the first project."
  (symindex-open "src/auth.py")
  (symindex-wait-for-index)
  (let ((first (current-buffer)) result)
    (symindex-open (expand-file-name "second.py" symindex-second))
    (setq result (list :second (symindex-rows "OnlyInSecond") :not_first (symindex-rows "AuthService")))
    (eglot-shutdown (eglot-current-server))
    (switch-to-buffer first)
    (append result (list :first (symindex-rows "AuthService") :not_second (symindex-rows "OnlyInSecond")))))

(defun symindex-early ()
  "Queries while the tree is first read; some of them are cancelled."
  (symindex-open "package0/module0.py")
  (let ((server (eglot-current-server)) (part :unknown) early answers result)
    ;; This asks first whether the index exists.
    (jsonrpc-async-request server :symindex/search '(:query "TheOneThatIsSought")
                           :success-fn (jsonrpc-lambda (&key notices &allow-other-keys) (setq part (< 0 (length notices)))))
    (setq early (symindex-rows "TheOneThatIsSought"))
    ;; Emacs 28 reads a message that arrives together with an awaited answer only when more data arrives.
    (symindex-wait "both answers" (lambda () (or (not (eq part :unknown)) (ignore (symindex-ask "TheOneThatIsSought")))))
    ;; A newer query ends the older one.
    (dotimes (number 5)
      (jsonrpc-async-request server :workspace/symbol (list :query (format "function_%d" number))
                             :success-fn (lambda (rows) (push (length rows) answers))
                             :error-fn (jsonrpc-lambda (&key code &allow-other-keys) (push code answers))))
    (jsonrpc-async-request server :workspace/symbol (list :query "function_9"))
    (setq result (list :early early :part part :after_burst (symindex-rows "TheOneThatIsSought")))
    (symindex-wait "an end of each" (lambda () (or (= 5 (length answers)) (ignore (symindex-ask "TheOneThatIsSought")))))
    ;; The user cancels while Emacs waits: Emacs discards the answer.
    (catch 'given-up
      (run-at-time 0 nil (lambda () (throw 'given-up nil)))
      (symindex-ask "function"))
    (setq result (append result (list :after_quit (symindex-rows "TheOneThatIsSought"))))
    (symindex-wait-for-index)
    (append result (list :answers (vconcat answers)
                         :complete (symindex-rows "function_199_in_119")))))

(defun symindex-shared ()
  "Servers that already run, one over TCP and then one at a socket."
  (let (tcp)
    (symindex-open "src/auth.py")
    (symindex-wait-for-index)
    (setq tcp (symindex-rows "AuthService"))
    (eglot-shutdown (eglot-current-server))
    (eval (read (format "(progn %s)" symindex-at-socket)) t)
    (symindex-open "src/auth.py")
    (list :tcp tcp :socket (symindex-rows "ParseHeader"))))

(defun symindex-stop ()
  "The server stops, and Emacs keeps running."
  (let ((server (symindex-open "src/auth.py")))
    (symindex-wait-for-index)
    (eglot-shutdown server)
    (symindex-wait "the end of the server" (lambda () (not (jsonrpc-running-p server))))
    nil))

(defun symindex-record ()
  "The session that is recorded for fixtures/lsp, which leaves the disk unchanged."
  (let ((server (symindex-open "src/auth.py")))
    (symindex-wait-for-index)
    (mapc #'symindex-rows '("AuthService" "AuthService.login" "ParseHeader" "ahsv"))
    (symindex-ask "")
    (symindex-imenu)
    (goto-char (point-min))
    (insert "# 😀\nclass UnsavedThing: pass\ns = '😀'; MiddleOfLine = 1\n")
    (symindex-flush)
    (mapc #'symindex-rows '("UnsavedThing" "MiddleOfLine"))
    (search-backward "UnsavedThing")
    (replace-match "RenamedThing")
    (symindex-flush)
    (mapc #'symindex-rows '("RenamedThing" "UnsavedThing"))
    (symindex-imenu)
    (dolist (query '("b" "l"))
      (jsonrpc-async-request server :workspace/symbol (list :query query) :error-fn #'ignore :success-fn #'ignore))
    (symindex-rows "Basket")
    (revert-buffer t t)
    (symindex-flush)
    (symindex-rows "RenamedThing")
    (kill-buffer)
    (with-current-buffer (find-file "lib/deep/one.py") (symindex-rows "InFolder"))
    (eglot-shutdown server)
    nil))

(defun symindex-stay ()
  "Wait to be killed."
  (symindex-open "src/auth.py")
  (symindex-wait-for-index)
  (write-region "{}" nil symindex-result nil 'silent)
  (sleep-for symindex-seconds))

(let ((result (funcall (intern (concat "symindex-" symindex-scenario)))))
  (with-temp-file symindex-result (insert (json-encode-plist result))))
