x=$(cat bot.sh | head -1); read line; while [ -n "$line" ]; do echo "$line $(date)"; read line; done; sleep 0.01; test -e /nowhere; [ -t 0 ]

printf '%s' $RANDOM; declare -A m; m[a]=1; echo ${m[a]} < /dev/null; cat <<< here
