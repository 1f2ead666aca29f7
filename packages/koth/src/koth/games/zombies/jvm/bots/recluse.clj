;; Recluse (Clojure) goes where nobody is: to the neighbour with the fewest others within four squares.
(ns recluse
  (:import (zombie Move Player PlayerRegistry Shoot)))

(defn seen [context reach x y]
  (for [dx (range (- reach) (inc reach))
        dy (range (- reach) (inc reach))
        :let [who (.lookAround context (+ x dx) (+ y dy))]
        :when who]
    who))

(defn zombie? [who]
  (= "Zombie" (.getName who)))

(defn free? [context move]
  (or (= move Move/STAY)
      (nil? (.lookAround context (.x move) (.y move)))))

(defn crowd [context move]
  (let [others (seen context 4 (.x move) (.y move))]
    (+ (count others) (* 10 (count (filter zombie? others))))))

(PlayerRegistry/registerPlayer "recluse"
  (reify Player
    (doTurn [this context]
      (let [threat (first (filter zombie? (seen context 2 0 0)))]
        (if (and threat (pos? (.getBullets context)))
          (Shoot. threat)
          (apply min-key #(crowd context %)
                 (filter #(free? context %) (cons Move/STAY (Move/values)))))))))
