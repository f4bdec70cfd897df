(* The four lemmas that carry the channels, over natural numbers: p / q stands for a number of at most e^epsilon.
   Checked by Coq's kernel: coqc lemmas.v. No axioms: Print Assumptions at the end says so. *)

Require Import List Arith Lia Bool.
Import ListNotations.

Fixpoint sum (f : nat -> nat) (ys : list nat) : nat :=
  match ys with [] => 0 | y :: rest => f y + sum f rest end.

(* 1. Equal totals. Rows w x of weights with one total T: P(y | x) = w x y / T. If every weight is within p / q of the
   weight of any other input, so is every event S, as a list of outputs. *)

Lemma sum_within : forall (w w' : nat -> nat) p q S,
  (forall y, q * w y <= p * w' y) -> q * sum w S <= p * sum w' S.
Proof.
  intros w w' p q S within. induction S as [| y S IH]; simpl.
  - lia.
  - specialize (within y). nia.
Qed.

Theorem equal_totals : forall (w : nat -> nat -> nat) Y T p q x x' S,
  sum (w x) Y = T -> sum (w x') Y = T ->
  (forall y, q * w x y <= p * w x' y) ->
  (q * sum (w x) S) * sum (w x') Y <= (p * sum (w x') S) * sum (w x) Y.
Proof.
  intros w Y T p q x x' S total total' within. rewrite total, total'.
  apply Nat.mul_le_mono_r. apply sum_within. exact within.
Qed.

(* A row that is raised: going through an order, each output gains what it may until E is spent. *)

Fixpoint raised (caps : list nat) (E : nat) : list nat :=
  match caps with [] => [] | c :: rest => Nat.min c E :: raised rest (E - Nat.min c E) end.

Definition total (l : list nat) : nat := fold_right Nat.add 0 l.

Theorem raised_total : forall caps E, E <= total caps -> total (raised caps E) = E.
Proof.
  induction caps as [| c caps IH]; simpl; intros E enough.
  - lia.
  - rewrite IH; lia.
Qed.

Theorem raised_within : forall caps E, Forall2 le (raised caps E) caps.
Proof.
  induction caps as [| c caps IH]; simpl; intros E; constructor; auto. lia.
Qed.

(* 2. Range. Weights between v0 and vR over one set of n outputs: ratios of probabilities are at most (vR / v0)^2. *)

Lemma sum_bounds : forall (w : nat -> nat) low high Y,
  (forall y, low <= w y <= high) -> length Y * low <= sum w Y <= length Y * high.
Proof.
  intros w low high Y bounds. induction Y as [| y Y IH]; simpl.
  - lia.
  - specialize (bounds y). lia.
Qed.

Theorem range : forall (w : nat -> nat -> nat) Y v0 vR x x' y,
  (forall z y, v0 <= w z y <= vR) ->
  (w x y * sum (w x') Y) * (v0 * v0) <= (w x' y * sum (w x) Y) * (vR * vR).
Proof.
  intros w Y v0 vR x x' y bounds.
  destruct (sum_bounds (w x) v0 vR Y (bounds x)) as [low _].
  destruct (sum_bounds (w x') v0 vR Y (bounds x')) as [_ high].
  destruct (bounds x y) as [_ above]. destruct (bounds x' y) as [below _].
  set (n := length Y) in *.
  apply Nat.le_trans with ((vR * (n * vR)) * (v0 * v0)).
  - apply Nat.mul_le_mono_r. apply Nat.mul_le_mono; assumption.
  - replace ((vR * (n * vR)) * (v0 * v0)) with ((v0 * (n * v0)) * (vR * vR)) by ring.
    apply Nat.mul_le_mono_r. apply Nat.mul_le_mono; assumption.
Qed.

(* 3. Adaptive product. The weight of each output may follow from all outputs before it. *)

Fixpoint joint (w : list nat -> nat -> nat) (past : list nat) (outputs : list nat) : nat :=
  match outputs with [] => 1 | y :: rest => w past y * joint w (past ++ [y]) rest end.

Theorem adaptive_product : forall (w w' : list nat -> nat -> nat) p q,
  (forall past y, q * w past y <= p * w' past y) ->
  forall outputs past, q ^ length outputs * joint w past outputs <= p ^ length outputs * joint w' past outputs.
Proof.
  intros w w' p q within outputs. induction outputs as [| y outputs IH]; simpl; intros past.
  - lia.
  - specialize (IH (past ++ [y])). specialize (within past y).
    replace (q * q ^ length outputs * (w past y * joint w (past ++ [y]) outputs))
      with ((q * w past y) * (q ^ length outputs * joint w (past ++ [y]) outputs)) by ring.
    replace (p * p ^ length outputs * (w' past y * joint w' (past ++ [y]) outputs))
      with ((p * w' past y) * (p ^ length outputs * joint w' (past ++ [y]) outputs)) by ring.
    apply Nat.mul_le_mono; assumption.
Qed.

(* 4. Uniform injection. Distinct values get the entries of a list in the order of their first mentions, whatever that
   list is. If a text's values are renamed one to one, the release of every list of entries stays: so any law of lists that
   does not see the values, such as the uniform one, gives both texts one law of releases. *)

Fixpoint first_mentions (seen values : list nat) : list nat :=
  match values with
  | [] => []
  | v :: rest => if in_dec Nat.eq_dec v seen then first_mentions seen rest else v :: first_mentions (v :: seen) rest
  end.

Fixpoint entry (values entries : list nat) (v : nat) : option nat :=
  match values, entries with
  | u :: us, e :: es => if Nat.eq_dec u v then Some e else entry us es v
  | _, _ => None
  end.

Definition release (values entries : list nat) : list (option nat) :=
  map (entry (first_mentions [] values) entries) values.

Section Renamed.
  Variable rename : nat -> nat.
  Hypothesis one_to_one : forall u v, rename u = rename v -> u = v.

  Lemma renamed_in : forall seen v, In (rename v) (map rename seen) <-> In v seen.
  Proof.
    intros seen v. split.
    - intros found. apply in_map_iff in found. destruct found as [u [same there]].
      apply one_to_one in same. subst. exact there.
    - apply in_map.
  Qed.

  Lemma renamed_mentions : forall values seen,
    first_mentions (map rename seen) (map rename values) = map rename (first_mentions seen values).
  Proof.
    induction values as [| v values IH]; simpl; intros seen; auto.
    destruct (in_dec Nat.eq_dec v seen) as [there | not_there];
      destruct (in_dec Nat.eq_dec (rename v) (map rename seen)) as [found | not_found]; simpl.
    - apply IH.
    - exfalso. apply not_found. apply renamed_in. exact there.
    - exfalso. apply not_there. apply renamed_in. exact found.
    - f_equal. apply (IH (v :: seen)).
  Qed.

  Lemma renamed_entry : forall values entries v,
    entry (map rename values) entries (rename v) = entry values entries v.
  Proof.
    induction values as [| u values IH]; simpl; intros entries v; auto.
    destruct entries as [| e entries]; auto.
    destruct (Nat.eq_dec u v) as [same | other];
      destruct (Nat.eq_dec (rename u) (rename v)) as [same' | other']; auto.
    - subst. exfalso. apply other'. reflexivity.
    - exfalso. apply other. apply one_to_one. exact same'.
  Qed.

  Theorem uniform_injection : forall values entries,
    release (map rename values) entries = release values entries.
  Proof.
    intros values entries. unfold release. rewrite map_map.
    replace (first_mentions [] (map rename values)) with (map rename (first_mentions [] values)).
    - apply map_ext. intros v. apply renamed_entry.
    - symmetry. apply (renamed_mentions values []).
  Qed.
End Renamed.

Print Assumptions equal_totals.
Print Assumptions raised_total.
Print Assumptions raised_within.
Print Assumptions range.
Print Assumptions adaptive_product.
Print Assumptions uniform_injection.
